use super::*;

#[test]
fn names_are_not_paths() {
    for name in ["shop", "Tenant-7_b", "0"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", ".", "..", "../x", "a/b", ".x", "a.db", "a\0", "é", "-a", "a b", "a%2f"] {
        assert!(!is_name(name), "{name}");
    }
    assert!(!is_name(&"x".repeat(65)));
}

#[test]
fn the_only_one_is_the_default() {
    assert_eq!(only([1].iter()), Some(&1));
    assert_eq!(only([1, 2].iter()), None);
    assert_eq!(only([0; 0].iter()), None);
}
