export default extension({
  name: "mine",
  description: "the order by length",
  collations: {
    // Less than 0, 0, or more; always the same for the same texts, since indexes depend on it.
    mine: (left, right) => left.length - right.length,
  },
});
