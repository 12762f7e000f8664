'use strict';
// Scripts of the shell, as far as they are SQL: lines of a dot command, and statements that end with a semicolon at
// the end of a line, by the rules of `sqlite3_complete`.

const TOKEN = /--[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|;|\w+|\s+|[^]/g;

/** Whether a text is whole statements. A trigger ends with `END;`. */
function isComplete(text) {
  let words = [];
  let last = '';
  let isOpen = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^(?:\s+|--.*)$/s.test(token)) continue;
    if (token.startsWith('/*')) {
      if (!token.endsWith('*/')) return false;
      continue;
    }
    isOpen = token !== ';';
    if (/^\w+$/.test(token)) words.push(token.toUpperCase());
    if (token === ';') {
      const isTrigger = /^(?:EXPLAIN )?CREATE (?:TEMP |TEMPORARY )?TRIGGER/.test(words.join(' '));
      if (isTrigger && last !== 'END') isOpen = true;
      else words = [];
    }
    last = token.toUpperCase();
  }
  return !isOpen;
}

/** The single statements of whole ones. */
function statementsOf(text) {
  const found = [];
  let current = '';
  for (const [token] of text.matchAll(TOKEN)) {
    current += token;
    if (token === ';' && isComplete(current)) {
      found.push(current);
      current = '';
    }
  }
  return current.trim() ? [...found, current] : found;
}

/** @returns {{ command?: string, sql?: string }[]} */
function parse(script) {
  const parts = [];
  let pending = '';
  for (const line of script.split('\n')) {
    if (!pending && line.startsWith('.')) {
      parts.push({ command: line.trim() });
      continue;
    }
    pending += `${line}\n`;
    if (isComplete(pending)) {
      parts.push(...statementsOf(pending).map((sql) => ({ sql })));
      pending = '';
    }
  }
  return parts;
}

module.exports = { parse };
