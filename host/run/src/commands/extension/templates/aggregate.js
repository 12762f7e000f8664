export default extension({
  name: "mine",
  description: "the longest text",
  aggregates: {
    // The state is what `start` returns, then what `step` returns. With `inverse` it would work with OVER.
    mine: { start: () => "", step: (longest, text) => text.length > longest.length ? text : longest },
  },
});
