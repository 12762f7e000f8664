// One worker among those of all tabs that have a database open. It owns the database, or it sends its requests to the
// owner over a BroadcastChannel.

import { notBegun, packed, unpacked } from './errors.mjs';
import { Host, NOT_RUN } from './host.mjs';
import { awaitOwnership, channelName, showAlive } from './ownership.mjs';

const lost = (message) => Object.assign(new Error(message), { code: 'SQLITE_SANDBOX_OWNER_LOST' });

/** The error of a request whose owner has ended before it replied. */
const ownerLost = () => lost('the tab that ran the statement was closed; whether the statement was committed is not known');

/** The error of the next request of a transaction whose owner has ended: without it the rest would be committed alone. */
const transactionLost = () => lost('the tab that ran the transaction was closed; the transaction was rolled back');

export class Peer {
  #id = crypto.randomUUID();
  #host = null;
  /** The id of the worker that owns the database. */
  #owner = null;
  /** This worker is in a transaction at the owner. */
  #isInTransaction = false;
  /** The transaction has ended with its owner, and no statement has reported it yet. */
  #hasLostTransaction = false;
  /** The arguments with which this worker has loaded extensions: the next owner has none. */
  #extensions = [];
  #channel;
  #sent = new Map();
  /** Ends for the requests of others that run here and can be stopped. */
  #ends = new Map();
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
    this.#hasLostTransaction ||= this.#isInTransaction && this.#sent.size === 0;
    this.#isInTransaction = false;
    for (const { reject } of this.#sent.values()) reject(ownerLost());
    this.#sent.clear();
    this.#settled.resolve();
    for (const args of this.#extensions) this.#forward('loadExtension', args).catch(() => {});
    for (const { method, args, signal, resolve, reject } of this.#held.splice(0)) this.#inTransaction(method, args, signal).then(resolve, reject);
  }

  /** Runs a method of the session, unless or until `signal` stops it. */
  request(method, args, signal) {
    if (this.#failure) return Promise.reject(this.#failure);
    const result = this.#inTransaction(method, args, signal);
    if (method === 'loadExtension') result.then(() => this.#extensions.push(args), () => {});
    return result;
  }

  /** Fails once where the transaction was lost that the request may belong to. */
  async #inTransaction(method, args, signal) {
    if (!this.#hasLostTransaction) return this.#forward(method, args, signal);
    this.#hasLostTransaction = false;
    throw transactionLost();
  }

  /** To the owner, or as soon as there is one. */
  async #forward(method, args, signal) {
    if (signal?.aborted) throw notBegun();
    if (this.#host) return this.#host.run(this.#id, method, args, signal);
    return new Promise((resolve, reject) => {
      const request = { method, args, signal, resolve, reject };
      if (this.#owner === null) this.#hold(request);
      else this.#send(request, this.#owner);
    });
  }

  #hold(request) {
    this.#held.push(request);
    request.signal?.addEventListener('abort', () => {
      const index = this.#held.indexOf(request);
      if (index >= 0) this.#held.splice(index, 1)[0].reject(notBegun());
    });
  }

  #send(request, owner) {
    const { method, args, signal } = request;
    const number = this.#next++;
    const message = (kind, content) => this.#channel.postMessage({ kind, to: owner, from: this.#id, number, ...content });
    this.#sent.set(number, request);
    signal?.addEventListener('abort', () => this.#sent.get(number) === request && message('interrupt'));
    message('request', { method, args, isStoppable: signal !== undefined });
  }

  #receive(message) {
    const { kind, to } = message;
    if (kind === 'who' && this.#host) this.#channel.postMessage({ kind: 'owner', owner: this.#id });
    else if (kind === 'owner') this.#setOwner(message.owner);
    else if (kind === 'closed' && this.#owner === message.owner) this.#owner = null;
    else if (to === this.#id && kind === 'request') this.#answer(message);
    else if (to === this.#id && kind === 'interrupt') this.#ends.get(`${message.from} ${message.number}`)?.abort();
    else if (to === this.#id && kind === 'reply') this.#replied(message);
    else if (kind === 'leave' && this.#host) this.#host.leave(message.from);
  }

  async #answer({ from, number, method, args, isStoppable }) {
    const reply = { kind: 'reply', to: from, number };
    const end = isStoppable ? new AbortController() : undefined;
    if (end) this.#ends.set(`${from} ${number}`, end);
    try {
      if (!this.#host) throw ownerLost();
      reply.result = await this.#host.run(from, method, args, end?.signal);
    } catch (error) {
      reply.error = packed(error);
    } finally {
      this.#ends.delete(`${from} ${number}`);
    }
    reply.isInTransaction = this.#host?.isHolder(from);
    this.#channel.postMessage(reply);
  }

  #replied({ number, result, error, isInTransaction }) {
    const waiting = this.#sent.get(number);
    if (!waiting) return;
    this.#sent.delete(number);
    const { method, args, signal, resolve, reject } = waiting;
    if (error?.code !== NOT_RUN) {
      this.#isInTransaction = isInTransaction;
      if (error) reject(unpacked(error));
      else resolve(result);
    } else if (this.#isInTransaction) {
      this.#isInTransaction = false;
      reject(transactionLost());
    } else this.#forward(method, args, signal).then(resolve, reject);
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
