//! Files of the system that the runner's own libraries read while a component
//! runs.

use std::env;
use std::path::Path;

use super::{Plan, Rights};

/// The time zones of the C library and `jiff`.
const ZONES: &str = "/usr/share/zoneinfo";
/// The zone of this machine; mostly a link into [`ZONES`].
const LOCAL_ZONE: &str = "/etc/localtime";

/// Add the time zone, including `$TZ` and `$TZDIR`.
pub fn time_zone(plan: &mut Plan) {
    plan.path(ZONES, Rights::Read);
    plan.path(LOCAL_ZONE, Rights::Read);
    let zone = env::var("TZ").unwrap_or_default();
    let zone = Path::new(zone.trim_start_matches(':'));
    if zone.is_absolute() {
        plan.path(zone, Rights::Read);
    }
    if let Some(zones) = env::var_os("TZDIR") {
        plan.path(zones, Rights::Read);
    }
}
