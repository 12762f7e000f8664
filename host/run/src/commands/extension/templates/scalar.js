export default extension({
  name: "mine",
  description: "loud text",
  functions: {
    // The same text is always as loud, so that an index can use the function.
    mine: { deterministic: true, call: (text) => text === null ? null : `${text.toUpperCase()}!` },
  },
});
