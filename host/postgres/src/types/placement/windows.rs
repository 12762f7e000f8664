//! The windows of a query: each name once, what one takes from another one, and the bounds of frames.

use sqlparser::ast::{
    Ident, NamedWindowDefinition, NamedWindowExpr, Select, WindowFrame, WindowFrameBound,
    WindowFrameUnits, WindowSpec, WindowType,
};

use super::offsets;
use crate::error::{Error, Result, sqlstate};
use crate::translate::folded;

/// The windows that have names.
#[derive(Default)]
pub struct Windows(Vec<Window>);

#[derive(Clone, Default)]
struct Window {
    name: String,
    /// How many expressions ORDER BY has.
    order: usize,
    has_frame: bool,
}

/// The word before an offset.
pub fn word(units: WindowFrameUnits) -> &'static str {
    match units {
        WindowFrameUnits::Rows => "ROWS",
        WindowFrameUnits::Range => "RANGE",
        WindowFrameUnits::Groups => "GROUPS",
    }
}

fn refused<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(sqlstate::WINDOWING_ERROR, message))
}

impl Windows {
    /// The windows of a SELECT, each of which may be made of those before it.
    pub fn of(select: Option<&Select>) -> Result<Self> {
        let mut windows = Self::default();
        for NamedWindowDefinition(name, window) in
            select.iter().flat_map(|select| &select.named_window)
        {
            let name = folded(name);
            if windows.0.iter().any(|known| known.name == name) {
                return refused(format!("window \"{name}\" is already defined"));
            }
            let made = match window {
                NamedWindowExpr::NamedWindow(other) => windows.found(other)?.clone(),
                NamedWindowExpr::WindowSpec(window) => windows.made(window)?,
            };
            windows.0.push(Window { name, ..made });
        }
        Ok(windows)
    }

    /// Check what follows OVER.
    pub fn check(&self, over: &WindowType) -> Result<()> {
        match over {
            WindowType::NamedWindow(name) => self.found(name).map(|_| ()),
            WindowType::WindowSpec(window) => self.made(window).map(|_| ()),
        }
    }

    fn found(&self, name: &Ident) -> Result<&Window> {
        let name = folded(name);
        self.0.iter().find(|known| known.name == name).ok_or_else(|| {
            Error::new(sqlstate::UNDEFINED_OBJECT, format!("window \"{name}\" does not exist"))
        })
    }

    fn made(&self, window: &WindowSpec) -> Result<Window> {
        let base = window.window_name.as_ref().map(|name| self.found(name)).transpose()?;
        if let Some(base) = base {
            let name = &base.name;
            if !window.partition_by.is_empty() {
                return refused(format!(
                    "cannot override PARTITION BY clause of window \"{name}\""
                ));
            }
            if base.order > 0 && !window.order_by.is_empty() {
                return refused(format!("cannot override ORDER BY clause of window \"{name}\""));
            }
            if base.has_frame {
                return refused(format!(
                    "cannot copy window \"{name}\" because it has a frame clause"
                ));
            }
        }
        let order = base.map_or(0, |base| base.order) + window.order_by.len();
        if let Some(frame) = &window.window_frame {
            check_frame(frame, order)?;
        }
        Ok(Window { name: String::new(), order, has_frame: window.window_frame.is_some() })
    }
}

fn check_frame(frame: &WindowFrame, order: usize) -> Result<()> {
    use WindowFrameBound as B;
    match (&frame.start_bound, frame.end_bound.as_ref().unwrap_or(&B::CurrentRow)) {
        (B::Following(None), _) => refused("frame start cannot be UNBOUNDED FOLLOWING"),
        (_, B::Preceding(None)) => refused("frame end cannot be UNBOUNDED PRECEDING"),
        (B::CurrentRow, B::Preceding(_)) => {
            refused("frame starting from current row cannot have preceding rows")
        }
        (B::Following(_), B::Preceding(_) | B::CurrentRow) => {
            refused("frame starting from following row cannot have preceding rows")
        }
        _ if frame.units == WindowFrameUnits::Groups && order == 0 => {
            refused("GROUPS mode requires an ORDER BY clause")
        }
        _ if frame.units == WindowFrameUnits::Range
            && order != 1
            && offsets(frame).next().is_some() =>
        {
            refused("RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
        }
        _ => Ok(()),
    }
}
