//! Empty: a package needs a target.
