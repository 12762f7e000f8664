//! A plan as one value: a tree in JSON, XML or YAML, with the names that PostgreSQL has for its parts.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value as Json, json};
use sqlite_sandbox::types::Value;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::translate::PlanFormat;
use sqlite_wasm_postgres::values::Format;

use super::converse::Conversation;
use super::execute::{DETAIL, Sink, bind};
use super::failure::Result;
use super::store::Analysed;

impl Conversation<'_> {
    /// Run EXPLAIN: one row with the whole plan.
    pub fn explain(
        &mut self,
        analysed: &Analysed,
        values: &[Value],
        formats: &[Format],
        (format, sink): (PlanFormat, Sink<'_>),
    ) -> Result<u64> {
        self.begin_at_last()?;
        let (mut steps, mut bytes) = (Vec::new(), 0);
        self.engine.run(
            &analysed.statement.sql,
            |prepared| bind(prepared, values),
            |_| Ok(()),
            |row| {
                let (id, parent, detail): (_, _, String) =
                    (row.get(0)?, row.get(1)?, row.get(DETAIL)?);
                bytes += detail.len();
                if steps.len() < MAX_STEPS && bytes <= MAX_PLAN_BYTES {
                    steps.push(Step { id, parent, detail });
                }
                Ok(())
            },
        )?;
        if steps.len() == MAX_STEPS || bytes > MAX_PLAN_BYTES {
            let message = "the plan has too many steps for one value; EXPLAIN as TEXT has no limit";
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message).into());
        }
        self.show(&[vec![written(&steps, format)]], analysed, formats, sink)
    }
}

/// The name of the step around all others, if there are several at the top.
const ALL: &str = "Query";

/// Maximum depth of nested steps; deeper ones are left out. SQLite's queries are not as deep.
const MAX_DEPTH: usize = 200;

/// Limit on the steps of a plan, and on the bytes of their texts: a plan is in memory as a whole, and SQL that has taken over
/// the engine invents its steps. SQLite's own have some thousand at most.
const MAX_STEPS: usize = 10_000;
const MAX_PLAN_BYTES: usize = 4 << 20;

/// A step of SQLite's plan.
#[derive(Clone, Debug)]
pub struct Step {
    pub id: i64,
    pub parent: i64,
    pub detail: String,
}

/// A plan as one text.
pub fn written(steps: &[Step], format: PlanFormat) -> String {
    let plan = plan(steps);
    match format {
        PlanFormat::Text => steps.iter().map(|step| format!("{}\n", step.detail)).collect(),
        PlanFormat::Json => format!("{:#}", json!([{ "Plan": plan }])),
        PlanFormat::Xml => {
            let mut text =
                "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n"
                    .to_owned();
            put_xml(&mut text, &plan, 2);
            text.push_str("  </Query>\n</explain>");
            text
        }
        PlanFormat::Yaml => {
            let mut text = "- Plan: ".to_owned();
            put_yaml(&mut text, &plan, 2);
            text
        }
    }
}

/// The steps as a tree: each is in the first step before it that has the id of its parent, or else at the top.
fn plan(steps: &[Step]) -> Json {
    let (mut positions, mut top) = (HashMap::<i64, usize>::new(), Vec::new());
    let mut inner = vec![Vec::new(); steps.len()];
    for (position, step) in steps.iter().enumerate() {
        match positions.get(&step.parent) {
            Some(parent) => inner[*parent].push(position),
            None => top.push(position),
        }
        positions.entry(step.id).or_insert(position);
    }
    let top = top.into_iter().map(|position| node(steps, &inner, position, MAX_DEPTH));
    let mut top: Vec<_> = top.collect();
    match (top.pop(), top.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            top.extend(last);
            json!({ "Node Type": ALL, "Plans": top })
        }
    }
}

fn node(steps: &[Step], inner: &[Vec<usize>], position: usize, depth: usize) -> Json {
    let mut node = json!({ "Node Type": steps[position].detail });
    let plans = inner[position].iter().filter(|_| depth > 0);
    let plans: Vec<_> = plans.map(|it| self::node(steps, inner, *it, depth - 1)).collect();
    if !plans.is_empty() {
        node["Plans"] = plans.into();
    }
    node
}

fn parts(plan: &Json) -> (&str, &[Json]) {
    let plans = plan["Plans"].as_array().map(Vec::as_slice);
    (plan["Node Type"].as_str().unwrap_or_default(), plans.unwrap_or_default())
}

fn put_xml(text: &mut String, plan: &Json, depth: usize) {
    let (kind, plans) = parts(plan);
    let space = "  ".repeat(depth);
    let _ = writeln!(text, "{space}<Plan>\n{space}  <Node-Type>{}</Node-Type>", xml(kind));
    if !plans.is_empty() {
        let _ = writeln!(text, "{space}  <Plans>");
        plans.iter().for_each(|plan| put_xml(text, plan, depth + 2));
        let _ = writeln!(text, "{space}  </Plans>");
    }
    let _ = writeln!(text, "{space}</Plan>");
}

/// Text of XML, which has no control characters.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\t' | '\n' => safe.push(character),
            '\u{fffe}' | '\u{ffff}' => safe.push(char::REPLACEMENT_CHARACTER),
            _ if character.is_control() => safe.push(char::REPLACEMENT_CHARACTER),
            _ => safe.push(character),
        }
    }
    safe
}

fn put_yaml(text: &mut String, plan: &Json, depth: usize) {
    let (kind, plans) = parts(plan);
    let space = "  ".repeat(depth);
    // A string of JSON is one of YAML.
    let _ = write!(text, "\n{space}Node Type: {}", Json::from(kind));
    if !plans.is_empty() {
        let _ = write!(text, "\n{space}Plans: ");
        for plan in plans {
            let _ = write!(text, "\n{space}  - ");
            let before = text.len();
            put_yaml(text, plan, depth + 2);
            // The first key is in the line of its dash.
            let first = before..before + 1 + 2 * (depth + 2);
            text.replace_range(first, "");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Vec<Step> {
        [(2, 0, "MERGE"), (4, 2, "LEFT"), (7, 4, "SCAN \"<a&b>\n"), (9, 2, "RIGHT")]
            .map(|(id, parent, detail)| Step { id, parent, detail: detail.to_owned() })
            .into()
    }

    #[test]
    fn plans_are_trees() {
        let text = written(&steps(), PlanFormat::Json);
        let found: Json = serde_json::from_str(&text).unwrap();
        let leaf = json!({"Node Type": "SCAN \"<a&b>\n"});
        let left = json!({"Node Type": "LEFT", "Plans": [leaf]});
        let plan = json!({"Node Type": "MERGE", "Plans": [left, {"Node Type": "RIGHT"}]});
        assert_eq!(found, json!([{ "Plan": plan }]));
        let text = written(&steps()[1..], PlanFormat::Json);
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap()[0]["Plan"]["Node Type"], ALL);
        assert_eq!(written(&[], PlanFormat::Json).matches(ALL).count(), 1);
    }

    #[test]
    fn xml_and_yaml_have_the_same_steps() {
        let text = written(&steps(), PlanFormat::Xml);
        assert!(text.contains("<Node-Type>SCAN \"&lt;a&amp;b&gt;\n</Node-Type>"), "{text}");
        assert_eq!(text.matches("<Plan>").count(), 4);
        assert_eq!(
            written(&steps(), PlanFormat::Yaml),
            "- Plan: \n    Node Type: \"MERGE\"\n    Plans: \n      - Node Type: \"LEFT\"\n        Plans: \n          \
             - Node Type: \"SCAN \\\"<a&b>\\n\"\n      - Node Type: \"RIGHT\""
        );
        // A step that belongs to itself, or to a later one.
        let odd = [(1, 1, "a"), (2, 3, "b"), (3, 2, "c")];
        let odd = odd.map(|(id, parent, detail)| Step { id, parent, detail: detail.to_owned() });
        assert_eq!(written(&odd, PlanFormat::Xml).matches("<Plan>").count(), 4);
        // Two steps of each id, each with those of the next id in it: a step is there once.
        let twice = (1..=40).flat_map(|id| [id, id]).map(|id| (id, id - 1, "d"));
        let twice =
            twice.map(|(id, parent, detail)| Step { id, parent, detail: detail.to_owned() });
        let twice: Vec<_> = twice.collect();
        let text = written(&twice, PlanFormat::Xml);
        assert_eq!(text.matches("<Node-Type>d<").count(), twice.len());
    }
}
