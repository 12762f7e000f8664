//! The definition of an extension, and the macro that makes a component of it.

use crate::provider::Provider;
use crate::{
    AggregateFunction, Arguments, Collation, Module, Output, Result, Scalar, Tokenizer, bindings,
};

/// A capability that the user must grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// SQL on the caller's connection.
    Sql,
    /// SQL that only reads.
    SqlReadOnly,
    /// A directory of files; the text says for what.
    Directory(&'static str),
    /// An environment variable.
    Environment(&'static str),
}

/// Everything that an extension declares and registers; [`extension!`](crate::extension) implements
/// it.
pub trait Definition: 'static {
    /// Letters, digits and `_`.
    const NAME: &'static str;
    /// A semantic version.
    const VERSION: &'static str;
    /// One line for users.
    const DESCRIPTION: &'static str;
    /// Scalar functions.
    const SCALARS: &'static [Scalar] = &[];
    /// Aggregate and window functions.
    const AGGREGATES: &'static [AggregateFunction] = &[];
    /// Tokenizers of FTS5.
    const TOKENIZERS: &'static [Tokenizer] = &[];
    /// Collations.
    const COLLATIONS: &'static [Collation] = &[];
    /// Modules of virtual tables.
    const MODULES: &'static [Module] = &[];
    /// The capabilities that must be granted.
    const NEEDS: &'static [Need] = &[];
    /// Called each time that a connection loads the extension, after everything above is registered
    /// there, and in an instance that replaces one that trapped. With [`Need::Sql`] each connection
    /// has a separate instance; otherwise they share one.
    const CONNECT: Option<fn() -> Result<()>> = None;
    /// Called when such a connection is closed; SQL is no longer available.
    const DISCONNECT: Option<fn()> = None;
    /// Called for the functions of [`sql::register`](crate::sql::register), with their ids.
    const REGISTERED: fn(u32, Arguments<'_>) -> Result<Output> = |_, _| Err(unregistered());

    /// The manifest with all of these.
    #[doc(hidden)]
    fn manifest() -> bindings::types::Manifest {
        use bindings::types::{Connecting, FunctionKind::Scalar};
        let scalars = Self::SCALARS.iter().map(|scalar| scalar.signature.declare(Scalar));
        let aggregates =
            Self::AGGREGATES.iter().map(|aggregate| aggregate.signature.declare(aggregate.kind));
        let tokenizers = Self::TOKENIZERS.iter().map(Tokenizer::declare);
        bindings::types::Manifest {
            name: Self::NAME.into(),
            version: Self::VERSION.into(),
            description: Self::DESCRIPTION.into(),
            functions: scalars.chain(aggregates).chain(tokenizers).collect(),
            collations: Self::COLLATIONS.iter().map(Collation::declare).collect(),
            modules: Self::MODULES.iter().map(Module::declare).collect(),
            needs: Self::NEEDS.iter().map(|need| (*need).into()).collect(),
            connects: if Self::CONNECT.is_some() || Self::DISCONNECT.is_some() {
                Connecting::AtLoad
            } else {
                Connecting::Never
            },
        }
    }
}

fn unregistered() -> crate::Error {
    crate::Error::new(crate::code::MISUSE, "no such function was registered")
}

impl<T: Provider> bindings::manifest::exports::sqlite_wasm::extension::extension::Guest for T {
    fn describe() -> bindings::types::Manifest {
        <T as Provider>::describe()
    }

    fn connect() -> Result<()> {
        <T as Provider>::connect()
    }

    fn disconnect() {
        <T as Provider>::disconnect();
    }
}

impl From<Need> for bindings::types::Need {
    fn from(need: Need) -> Self {
        match need {
            Need::Sql => Self::Sql,
            Need::SqlReadOnly => Self::SqlReadOnly,
            Need::Directory(purpose) => Self::Directory(purpose.into()),
            Need::Environment(name) => Self::Environment(name.into()),
        }
    }
}

/// Make the crate an extension: with its name, a description of one line, and tables of everything
/// that it registers.
///
/// ```ignore
/// sqlite_wasm_kit::extension! {
///     name: "uuid",
///     description: "make and read UUIDs",
///     scalars: SCALARS,
///     aggregates: AGGREGATES,
///     tokenizers: TOKENIZERS,
///     collations: COLLATIONS,
///     modules: MODULES,
///     needs: NEEDS,
///     connect: connect,
///     disconnect: disconnect,
///     registered: call_registered,
/// }
/// ```
///
/// All but the first two can be omitted; the order is fixed. The version is that of the crate.
#[macro_export]
macro_rules! extension {
    (
        name: $name:expr,
        description: $description:expr
        $(, scalars: $scalars:expr)?
        $(, aggregates: $aggregates:expr)?
        $(, tokenizers: $tokenizers:expr)?
        $(, collations: $collations:expr)?
        $(, modules: $modules:expr)?
        $(, needs: $needs:expr)?
        $(, connect: $connect:expr)?
        $(, disconnect: $disconnect:expr)?
        $(, registered: $registered:expr)?
        $(,)?
    ) => {
        struct SqliteExtension;

        impl $crate::Definition for SqliteExtension {
            const NAME: &'static str = $name;
            const VERSION: &'static str = env!("CARGO_PKG_VERSION");
            const DESCRIPTION: &'static str = $description;
            $(const SCALARS: &'static [$crate::Scalar] = $scalars;)?
            $(const AGGREGATES: &'static [$crate::AggregateFunction] = $aggregates;)?
            $(const TOKENIZERS: &'static [$crate::Tokenizer] = $tokenizers;)?
            $(const COLLATIONS: &'static [$crate::Collation] = $collations;)?
            $(const MODULES: &'static [$crate::Module] = $modules;)?
            $(const NEEDS: &'static [$crate::Need] = $needs;)?
            $(const CONNECT: Option<fn() -> $crate::Result<()>> = Some($connect);)?
            $(const DISCONNECT: Option<fn()> = Some($disconnect);)?
            $(
                const REGISTERED: fn(u32, $crate::Arguments<'_>) -> $crate::Result<$crate::Output> =
                    $registered;
            )?
        }

        // Native code exports nothing, but the tables must not be unused.
        const _: () = $crate::bindings::is_used::<SqliteExtension>();

        $crate::export_interface!(manifest export_manifest);
        $crate::export_scalar_interface!([$($scalars)?] [$($tokenizers)?]);
        $($crate::export_interface!(inline export_inline $scalars);)?
        $($crate::export_inline_call!($scalars);)?
        $($crate::export_interface!(aggregate export_aggregate $aggregates);)?
        $($crate::export_interface!(collation export_collation $collations);)?
        $($crate::export_interface!(table export_table $modules);)?
        $($crate::export_fetch!($modules);)?
    };
}

/// Export `scalar`, which functions and tokenizers share.
#[doc(hidden)]
#[macro_export]
macro_rules! export_scalar_interface {
    ([] []) => {};
    ([$($_scalars:expr)?] [$($_tokenizers:expr)?]) => {
        $crate::export_interface!(scalar export_scalar);
    };
}

/// Export one interface of the contract; only in components, since native symbols cannot have such
/// names.
#[doc(hidden)]
#[macro_export]
macro_rules! export_interface {
    ($module:ident $macro:ident $($_table:expr)?) => {
        #[cfg(target_family = "wasm")]
        $crate::bindings::$module::$macro!(SqliteExtension with_types_in $crate::bindings::$module);
    };
}
