//! sqlean's `regexp`.
c_extensions::sqlean_extension!("sqlean_regexp", "regular expressions of PCRE2");
