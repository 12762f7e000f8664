// The page of a server. Its token follows `#` in the address, which browsers do not send.

import { App } from './app.mjs';
import { button, element } from './dom.mjs';
import { HranaSource, Unauthorized } from './hrana.mjs';

/** Milliseconds until a stream that has ended is opened again. */
const RETRY = 3000;

const base = location.pathname.endsWith('/') ? location.pathname : `${location.pathname}/`;
const parameters = new URLSearchParams(location.hash.slice(1));

const given = parameters.get('token');
if (given) {
  sessionStorage.setItem('token', given);
  const sql = parameters.get('sql');
  history.replaceState(null, '', location.pathname + (sql === null ? '' : `#sql=${encodeURIComponent(sql)}`));
}

const name = base.split('/').filter(Boolean).at(-1) ?? location.host;
const source = new HranaSource(base, decodeURIComponent(name), sessionStorage.getItem('token'));
const root = document.getElementById('app');

/** Asks for the token. */
function login(error) {
  const token = element('input', { type: 'password', id: 'token', autocomplete: 'off' });
  const form = element('form', { id: 'login' },
    element('p', { className: 'error', textContent: error.message, attributes: { role: 'alert' } }),
    element('label', {}, 'Token ', token), ' ', button('Use', null, { type: 'submit' }));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem('token', token.value);
    source.token = token.value;
    start();
  });
  root.replaceChildren(form);
  token.focus();
}

/** Shows what clients commit, while the page is in sight: a browser has few connections for all its pages. */
async function follow(app) {
  for (;;) {
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener('visibilitychange', hide);
    try {
      for await (const changes of source.changes(hidden.signal)) app.committed(changes);
    } catch {
      // The server is away, or the page is hidden.
    }
    document.removeEventListener('visibilitychange', hide);
    await new Promise((done) => { setTimeout(done, RETRY); });
    while (document.hidden) await new Promise((done) => { document.addEventListener('visibilitychange', done, { once: true }); });
  }
}

async function start() {
  const app = new App(root, source);
  try {
    await app.start();
    performance.mark('first-grid');
    follow(app);
  } catch (error) {
    if (error instanceof Unauthorized) login(error);
    else app.report('', error);
  }
}

start();
