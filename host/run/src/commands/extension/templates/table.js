export default extension({
  name: "mine",
  description: "the words of a text",
  tables: {
    // SELECT word FROM mine('to be'). A generator computes only the rows that SQL reads.
    mine: {
      columns: ["word TEXT"],
      parameters: ["text"],
      *rows(text) {
        for (const word of text.split(/\s+/)) yield [word];
      },
    },
  },
});
