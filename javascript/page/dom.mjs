// Elements of the page. What comes from a database is only ever set as text.

/** An element with properties, attributes (in `attributes`), and children, which are elements or texts. */
export function element(name, { attributes = {}, ...properties } = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export const button = (label, onclick, properties = {}) =>
  element('button', { type: 'button', textContent: label, onclick, ...properties });

/** Offers bytes or a text as a file. */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
