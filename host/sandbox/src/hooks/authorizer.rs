//! Authorizers, which SQLite calls for each action of a statement.

use runtime::database::wire::{Event, Reader};

use crate::connection::Connection;
use crate::error::Result;

/// The decision of an authorizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Authorization {
    /// Allow the action.
    Allow = 0,
    /// Refuse the statement.
    Deny = 1,
    /// Read a column as NULL, and omit other actions.
    Ignore = 2,
}

macro_rules! actions {
    ($($(#[doc = $doc:literal])* $name:ident $({ $first:ident $(, $second:ident)? })? = $code:literal;)*) => {
        /// The action of a statement, with rusqlite's names.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum AuthAction<'c> {
            /// Another action, with SQLite's code.
            Unknown { code: i32, arg1: Option<&'c str>, arg2: Option<&'c str> },
            $($(#[doc = $doc])* $name $({ $first: &'c str $(, $second: &'c str)? })?,)*
        }

        impl<'c> AuthAction<'c> {
            fn of(code: i32, arg1: Option<&'c str>, arg2: Option<&'c str>) -> Self {
                let mut texts = [arg1, arg2].into_iter().map(Option::unwrap_or_default);
                let mut next = || texts.next().unwrap_or_default();
                match code {
                    $($code => Self::$name $({ $first: next() $(, $second: next())? })?,)*
                    _ => Self::Unknown { code, arg1, arg2 },
                }
            }
        }
    };
}

actions! {
    CreateIndex { index_name, table_name } = 1;
    CreateTable { table_name } = 2;
    CreateTempIndex { index_name, table_name } = 3;
    CreateTempTable { table_name } = 4;
    CreateTempTrigger { trigger_name, table_name } = 5;
    CreateTempView { view_name } = 6;
    CreateTrigger { trigger_name, table_name } = 7;
    CreateView { view_name } = 8;
    Delete { table_name } = 9;
    DropIndex { index_name, table_name } = 10;
    DropTable { table_name } = 11;
    DropTempIndex { index_name, table_name } = 12;
    DropTempTable { table_name } = 13;
    DropTempTrigger { trigger_name, table_name } = 14;
    DropTempView { view_name } = 15;
    DropTrigger { trigger_name, table_name } = 16;
    DropView { view_name } = 17;
    Insert { table_name } = 18;
    /// The value is empty if the pragma has none.
    Pragma { pragma_name, pragma_value } = 19;
    Read { table_name, column_name } = 20;
    Select = 21;
    Transaction { operation } = 22;
    Update { table_name, column_name } = 23;
    Attach { filename } = 24;
    Detach { database_name } = 25;
    AlterTable { database_name, table_name } = 26;
    Reindex { index_name } = 27;
    Analyze { table_name } = 28;
    CreateVtable { table_name, module_name } = 29;
    DropVtable { table_name, module_name } = 30;
    /// The first name is empty.
    Function { unused, function_name } = 31;
    Savepoint { operation, savepoint_name } = 32;
    Recursive = 33;
}

/// An action that a statement needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthContext<'c> {
    /// The action.
    pub action: AuthAction<'c>,
    /// The schema.
    pub database_name: Option<&'c str>,
    /// The innermost trigger or view; SQLite also passes names of subqueries here.
    pub accessor: Option<&'c str>,
    /// SQL that an extension runs, and not the program: the extension may have got it from anybody
    /// who can write the database.
    pub by_extension: bool,
}

/// A name; if it is not UTF-8, it cannot be one that the program knows.
fn name<'a>(from: &mut Reader<'a>) -> Result<Option<&'a str>> {
    Ok(from.optional_bytes()?.map(|bytes| std::str::from_utf8(bytes).unwrap_or_default()))
}

impl Connection {
    /// Call this for each action of a statement while it is prepared.
    ///
    /// ```
    /// # use sqlite_sandbox::hooks::{AuthAction, AuthContext, Authorization};
    /// # let builder = sqlite_sandbox::Database::builder().component("../../target/release/database.cwasm");
    /// let db = builder.build()?.open_in_memory()?;
    /// db.authorizer(Some(|context: AuthContext| match context.action {
    ///     AuthAction::Select | AuthAction::Read { .. } => Authorization::Allow,
    ///     _ => Authorization::Deny,
    /// }))?;
    /// assert!(db.execute_batch("SELECT 1").is_ok());
    /// assert!(db.execute_batch("CREATE TABLE t(a)").is_err());
    /// # Ok::<(), sqlite_sandbox::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn authorizer<F>(&self, call: Option<F>) -> Result<()>
    where
        F: for<'c> FnMut(AuthContext<'c>) -> Authorization + Send + 'static,
    {
        let call = call.map(|mut call| {
            super::hooked(move |from| {
                let code = from.u32()?.cast_signed();
                let (arg1, arg2) = (name(from)?, name(from)?);
                let (database_name, accessor) = (name(from)?, name(from)?);
                let action = AuthAction::of(code, arg1, arg2);
                let by_extension = from.u8()? != 0;
                Ok(call(AuthContext { action, database_name, accessor, by_extension }) as i32)
            })
        });
        self.client.set_hook(Event::Authorizer, call, 0)
    }
}
