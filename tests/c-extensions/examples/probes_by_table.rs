//! The probes, compiled to call through the table of routines.
c_extensions::extension!("probes_by_table", loadable_entry_point);
