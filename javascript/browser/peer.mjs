// One worker among those of all tabs that have a database open. It owns the database, or it sends its requests to the
// owner over a BroadcastChannel.

import { packed, unpacked } from './errors.mjs';
import { Host } from './host.mjs';
import { awaitOwnership, channelName, showAlive } from './ownership.mjs';

/** The error of a request whose owner has ended before it replied. */
function ownerLost() {
  const error = new Error('the tab that ran the statement was closed; whether the statement was committed is not known');
  error.code = 'SQLITE_SANDBOX_OWNER_LOST';
  return error;
}

export class Peer {
  #id = crypto.randomUUID();
  #host = null;
  /** The id of the worker that owns the database. */
  #owner = null;
  #channel;
  #sent = new Map();
  /** Requests without an owner yet. */
  #held = [];
  #next = 0;
  #stop = new AbortController();
  #release = null;
  #failure = null;

  /** @param {string} name @param {object} options */
  constructor(name, options) {
    this.name = name;
    this.options = options;
    this.#channel = new BroadcastChannel(channelName(name));
    this.#channel.onmessage = ({ data }) => this.#receive(data);
  }

  /** Fulfilled when requests can be sent: the database is open here, or there is an owner. */
  async start() {
    await showAlive(this.#id);
    const ready = new Promise((resolve, reject) => { this.#settled = { resolve, reject }; });
    this.#ended = awaitOwnership(this.name, () => this.#own(), this.#stop.signal);
    this.#channel.postMessage({ kind: 'who' });
    await ready;
  }

  #settled;
  #ended;

  /** This worker is the owner until it closes the database. */
  async #own() {
    try {
      this.#host = await Host.open(this.name, this.options);
    } catch (error) {
      // The next worker may be able to open it.
      this.#failure = error;
      this.#settled.reject(error);
      for (const { reject } of this.#held.splice(0)) reject(error);
      return;
    }
    const closed = new Promise((resolve) => { this.#release = resolve; });
    this.#setOwner(this.#id);
    this.#channel.postMessage({ kind: 'owner', owner: this.#id });
    await closed;
    await this.#host.close();
  }

  /** Requests to the owner before are lost; those that were never sent are not. */
  #setOwner(owner) {
    if (owner === this.#owner) return;
    this.#owner = owner;
    for (const { reject } of this.#sent.values()) reject(ownerLost());
    this.#sent.clear();
    this.#settled.resolve();
    for (const { method, args, resolve, reject } of this.#held.splice(0)) this.request(method, args).then(resolve, reject);
  }

  /** Runs a method of the session. */
  request(method, args) {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#host) return this.#host.run(this.#id, method, args);
    return new Promise((resolve, reject) => {
      if (this.#owner === null) {
        this.#held.push({ method, args, resolve, reject });
        return;
      }
      const number = this.#next++;
      this.#sent.set(number, { resolve, reject });
      this.#channel.postMessage({ kind: 'request', to: this.#owner, from: this.#id, number, method, args });
    });
  }

  #receive(message) {
    const { kind, to } = message;
    if (kind === 'who' && this.#host) this.#channel.postMessage({ kind: 'owner', owner: this.#id });
    else if (kind === 'owner') this.#setOwner(message.owner);
    else if (kind === 'closed' && this.#owner === message.owner) this.#owner = null;
    else if (to === this.#id && kind === 'request') this.#answer(message);
    else if (to === this.#id && kind === 'reply') this.#replied(message);
    else if (kind === 'leave' && this.#host) this.#host.leave(message.from);
  }

  async #answer({ from, number, method, args }) {
    const reply = { kind: 'reply', to: from, number };
    try {
      if (!this.#host) throw ownerLost();
      reply.result = await this.#host.run(from, method, args);
    } catch (error) {
      reply.error = packed(error);
    }
    this.#channel.postMessage(reply);
  }

  #replied({ number, result, error }) {
    const waiting = this.#sent.get(number);
    this.#sent.delete(number);
    if (error) waiting?.reject(unpacked(error));
    else waiting?.resolve(result);
  }

  /** Whether this worker has the files open. */
  get isOwner() {
    return this.#host !== null;
  }

  async close() {
    if (this.#release) {
      this.#channel.postMessage({ kind: 'closed', owner: this.#id });
      this.#release();
    } else {
      this.#channel.postMessage({ kind: 'leave', from: this.#id });
      this.#stop.abort();
    }
    await this.#ended;
    this.#channel.close();
  }
}
