// What a source runs for the page, so that the user can stop it.

export class Running {
  #ends = new Set();
  /** Called when there is something to stop, or nothing any more. */
  changed = () => {};

  /** Runs something with a signal that stops it. */
  async run(begin) {
    const end = new AbortController();
    this.#ends.add(end);
    if (this.#ends.size === 1) this.changed(true);
    try {
      return await begin(end.signal);
    } finally {
      this.#ends.delete(end);
      if (this.#ends.size === 0) this.changed(false);
    }
  }

  stop() {
    for (const end of this.#ends) end.abort();
  }
}
