'use strict';
// The text behind a statement, by the rules of SQLite's tokenizer.

const SPACE = /[ ;\t-\r]*/y;
const LINE_COMMENT = /--[^\n\0]*/y;
const BLOCK_COMMENT = /\/\*[^\0]*?(?:\*\/|$|(?=\0))/y;

/** Whether anything but white space, semicolons and comments is left. SQL ends at a NUL. */
function hasStatement(text) {
  let position = 0;
  const skip = (pattern) => {
    pattern.lastIndex = position;
    const length = pattern.exec(text)?.[0].length ?? 0;
    position += length;
    return length > 0;
  };
  while (skip(SPACE) || skip(LINE_COMMENT) || skip(BLOCK_COMMENT));
  return position < text.length && text[position] !== '\0';
}

module.exports = { hasStatement };
