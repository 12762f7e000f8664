//! Table-valued functions: statements with parameters.

use sql_tokens::quoted_name;
use sqlite_wasm_kit::table::{
    Check, ConnectMode, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan,
};
use sqlite_wasm_kit::{Cursor, Result, Table, Value, sql};

use crate::expand::expand;
use crate::parameters::Parameters;
use crate::stored;

/// The cost of a scan that lacks some arguments: one that has all of them is always better.
const COST_WITHOUT: f64 = 1e9;

/// A table-valued function.
pub struct DefinedTable {
    name: String,
    /// Whether the definition is stored: those of `main` are.
    is_stored: bool,
    select: String,
    outputs: u32,
    inputs: u32,
}

impl Table for DefinedTable {
    type Cursor = DefinedCursor;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let Connection { mode, schema, name, arguments } = connection;
        let [argument] = &arguments[..] else {
            return Err("define: one statement in parentheses is needed".into());
        };
        let argument = argument.trim();
        let inner = argument.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let select = inner.ok_or("define: the statement must be in parentheses")?.to_owned();
        let parameters = Parameters::of(&select);
        let statement = prepare(&select)?;
        if !statement.is_read_only() {
            return Err("define: the statement must only read".into());
        }
        if statement.parameter_count() as usize != parameters.count() {
            return Err("define: the parameters cannot be understood".into());
        }
        let columns = statement.column_names();
        let declaration = declaration(&columns, &parameters);
        let is_stored = schema.eq_ignore_ascii_case("main");
        if is_stored && mode == ConnectMode::Create {
            stored::save(&name, "table", argument)?;
        }
        let (outputs, inputs) = (columns.len() as u32, parameters.count() as u32);
        Ok((Self { name, is_stored, select, outputs, inputs }, declaration))
    }

    /// Arguments are equality constraints on the hidden columns. All that are available are used,
    /// in any order, which the plan's text lists.
    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let mut taken: Vec<i32> = Vec::new();
        for (place, constraint) in info.constraints.iter().enumerate() {
            let input = constraint.column - self.outputs as i32;
            if input < 0
                || !matches!(constraint.operator, Operator::Equal)
                || taken.contains(&input)
            {
                continue;
            }
            if !constraint.usable {
                return Ok(Planned::No);
            }
            plan.take(place, Check::Omit);
            taken.push(input);
        }
        let is_complete = taken.len() as u32 == self.inputs;
        (plan.cost, plan.rows) = if is_complete { (10.0, 10) } else { (COST_WITHOUT, 1_000_000) };
        let text: Vec<_> = taken.iter().map(i32::to_string).collect();
        plan.text = Some(text.join(",").into_bytes());
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<DefinedCursor> {
        let statement = prepare(&self.select)?;
        Ok(DefinedCursor { statement, inputs: Vec::new(), row_id: 0 })
    }

    fn destroy(self) -> Result<()> {
        if self.is_stored { stored::forget(&self.name) } else { Ok(()) }
    }
}

/// Prepare a statement, without calls of functions that are defined now. The functions of the
/// database count: a table does not record who defined it.
fn prepare(select: &str) -> Result<sql::Statement> {
    let scalars = stored::scalars()?;
    sql::prepare(&expand(select, &|name, count| stored::find(&scalars, name, count))?)
}

fn declaration(columns: &[String], parameters: &Parameters) -> String {
    let outputs = columns.iter().map(|name| quoted_name(name));
    let inputs = parameters.names().map(|name| quoted_name(&name) + " HIDDEN");
    format!("CREATE TABLE x({})", outputs.chain(inputs).collect::<Vec<_>>().join(","))
}

/// A scan.
pub struct DefinedCursor {
    statement: sql::Statement,
    inputs: Vec<Value>,
    row_id: i64,
}

impl Cursor for DefinedCursor {
    type Table = DefinedTable;

    fn filter(&mut self, table: &mut DefinedTable, mut scan: Scan) -> Result<()> {
        self.inputs = inputs(table.inputs, &mut scan);
        self.row_id = 0;
        self.statement.start(self.inputs.iter().cloned())
    }

    fn next(&mut self, table: &mut DefinedTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(values) = self.statement.next_row()? else {
            return Ok(None);
        };
        for (column, value) in (0..table.outputs).zip(values) {
            row.set(column, value);
        }
        for (column, value) in (table.outputs..).zip(&self.inputs) {
            if row.wants(column) {
                row.set(column, value.clone());
            }
        }
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}

/// The parameters' values in their order; NULL for missing ones.
fn inputs(count: u32, scan: &mut Scan) -> Vec<Value> {
    let mut inputs = vec![Value::Null; count as usize];
    let text = scan.text.take().unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    for (place, input) in text.split(',').flat_map(str::parse::<usize>).enumerate() {
        inputs[input] = scan.take(place);
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use sql_tokens::quoted_name;
    use sqlite_wasm_kit::table::{Argument, constraint, index_info};

    fn table() -> DefinedTable {
        let select = "select :a - :b as d".to_owned();
        DefinedTable { name: "t".into(), is_stored: false, select, outputs: 1, inputs: 2 }
    }

    fn equal(column: i32) -> sqlite_wasm_kit::table::Constraint {
        constraint(column, Operator::Equal, None)
    }

    #[test]
    fn columns_are_the_statements_and_parameters_are_hidden() {
        let columns = ["d".to_owned(), "say \"x\"".to_owned()];
        let parameters = Parameters::of("?1 :b");
        let declared = r#"CREATE TABLE x("d","say ""x""","1" HIDDEN,"b" HIDDEN)"#;
        assert_eq!(declaration(&columns, &parameters), declared);
    }

    #[test]
    fn arguments_come_in_any_order_and_may_be_missing() {
        let info = index_info(vec![equal(0), equal(2), equal(1), equal(2)], vec![]);
        let mut plan = Plan::new(&info);
        assert_eq!(table().best_index(&info, &mut plan), Ok(Planned::Yes));
        assert_eq!(plan.constraints_taken().collect::<Vec<_>>(), [1, 2]);
        assert!(plan.cost < COST_WITHOUT);
        let arguments = [7, 8].map(|number| Argument::One(Value::Integer(number))).into();
        let mut scan = Scan { number: 0, text: plan.text, arguments };
        assert_eq!(inputs(2, &mut scan), [Value::Integer(8), Value::Integer(7)]);
        let mut nothing = Scan { text: Some(Vec::new()), ..Scan::default() };
        assert_eq!(inputs(2, &mut nothing), [Value::Null, Value::Null]);
    }

    #[test]
    fn arguments_that_are_not_known_yet_make_another_plan() {
        let mut later = equal(1);
        later.usable = false;
        let info = index_info(vec![later], vec![]);
        assert_eq!(table().best_index(&info, &mut Plan::new(&info)), Ok(Planned::No));
    }
}
