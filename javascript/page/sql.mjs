// SQL as text: names, the statements of a text, and where an error is.

export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/** One token that can contain a semicolon, or any character. */
const TOKEN = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[A-Za-z_][\w$]*|[\s\S]/gy;

const isBlank = (token) => /^\s$/.test(token) || token.startsWith('--') || token.startsWith('/*');

/** `CREATE TRIGGER`, whose statement has semicolons. TRIGGER and BEGIN can be names elsewhere. */
const TRIGGER = /^(?:EXPLAIN (?:QUERY PLAN )?)?CREATE (?:TEMP(?:ORARY)? )?TRIGGER /;
const LONGEST_BEGINNING = 7;

/** The statements of a text, with where each begins. That of a trigger ends with `; END`, as for `sqlite3_complete`. */
export function statements(text) {
  const found = [];
  let start = -1;
  let words = [];
  let last = [];
  const end = (position) => {
    if (start >= 0) found.push({ sql: text.slice(start, position), start });
    start = -1;
    words = [];
    last = [];
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (isBlank(token)) continue;
    const isWhole = !TRIGGER.test(`${words.join(' ')} `) || (last[0] === ';' && last[1] === 'END');
    if (token === ';' && isWhole) {
      end(index);
      continue;
    }
    if (start < 0) start = index;
    const word = token.toUpperCase();
    if (words.length < LONGEST_BEGINNING) words.push(word);
    last = [last.at(-1), word];
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
