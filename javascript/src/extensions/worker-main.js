'use strict';
// The thread of an extension that runs SQL. It waits for a call, runs it, and in the middle of it for
// the replies to its requests.

const { receiveMessageOnPort, workerData } = require('node:worker_threads');

const { Channel } = require('./channel.js');
const { FUNCTIONS, OTHERS } = require('./contract.js');
const { Instance } = require('./instance.js');
const { SqlWork } = require('./sql-work.js');

const { module: code, environment, directories, usesSql, script, shared, port } = workerData;
const channel = new Channel('worker', shared, port, receiveMessageOnPort);
const entries = { ...FUNCTIONS, ...OTHERS };

/** Functions in which SQL is not available. */
const WITHOUT_SQL = new Set(['extension-disconnect', 'collation-compare']);

/** Sends a request to the thread of the engine, and waits for the reply. */
function requested(request, store) {
  channel.send({ request });
  store(channel.receive().reply);
}

const work = new SqlWork(requested);
let instance = null;

function start() {
  const sqlWork = usesSql ? (made) => work.imports(made) : undefined;
  instance = new Instance(code, { environment, directories, sqlWork, script });
}

/** Calls a function, and performs what has waited for its end. */
function called(name, args) {
  work.isOpen = !WITHOUT_SQL.has(name);
  try {
    const returned = instance.call(entries[name], args);
    let last;
    work.finish((reply) => { last = reply; });
    return last.tag !== 0 && !entries[name].isPlain ? last : returned;
  } finally {
    work.isOpen = false;
  }
}

function run({ name, args, connectsFirst }) {
  if (connectsFirst) {
    const connected = called('extension-connect', []);
    // The failure of connecting is that of the call.
    if (connected.tag !== 0) return entries[name].isPlain ? undefined : connected;
  }
  return called(name, args);
}

function attempt(action) {
  try {
    channel.send({ returned: action() });
  } catch (error) {
    channel.send({ trap: String(error?.message ?? error), printed: instance?.printed() ?? '' });
  }
}

attempt(start);
for (;;) {
  const message = channel.receive();
  attempt(() => run(message));
}
