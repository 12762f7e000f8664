// SQL as text: names, the statements of a text, and where an error is.

export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/** One token that can contain a semicolon, or any character. */
const TOKEN = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[A-Za-z_][\w$]*|[\s\S]/gy;

const isBlank = (token) => /^\s$/.test(token) || token.startsWith('--') || token.startsWith('/*');

/** The statements of a text, with where each begins. The body of a trigger belongs to its statement. */
export function statements(text) {
  const found = [];
  let start = -1;
  let words = [];
  let depth = 0;
  const end = (position) => {
    if (start >= 0) found.push({ sql: text.slice(start, position), start });
    start = -1;
    words = [];
    depth = 0;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === ';' && depth === 0) {
      end(index);
      continue;
    }
    if (isBlank(token)) continue;
    if (start < 0) start = index;
    const word = token.toUpperCase();
    if (words.length < 4) words.push(word);
    if (words[0] !== 'CREATE' || !words.includes('TRIGGER')) continue;
    if (word === 'BEGIN' || word === 'CASE') depth++;
    if (word === 'END') depth--;
  }
  end(text.length);
  return found;
}

/** Where an error is that only says what it is near, in a statement. */
export function positionOf(sql, message) {
  const name = /near "([^"]+)"|no such \w+: (\S+)/.exec(message);
  const wanted = name?.[1] ?? name?.[2]?.split('.').at(-1);
  return wanted ? Math.max(0, sql.indexOf(wanted)) : 0;
}
