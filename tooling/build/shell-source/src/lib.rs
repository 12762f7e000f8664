//! Empty: this package only names a dependency whose source is fetched.
