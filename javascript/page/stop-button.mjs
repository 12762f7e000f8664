// The button that stops what runs: it is there once that takes long enough to wonder.

import { button, element } from './dom.mjs';

/** Milliseconds until it is shown. */
const PATIENCE = 500;

export class StopButton {
  #waiting = null;

  /**
   * @param {import('./running.mjs').Running} running
   * @param {() => void} leave Moves the focus elsewhere.
   */
  constructor(running, leave) {
    this.running = running;
    this.leave = leave;
    this.button = button('Stop', () => this.stop(), { hidden: true, title: 'Alt+0', attributes: { 'aria-keyshortcuts': 'Alt+0' } });
    // Always there, as screen readers announce only what changes in what they know.
    this.state = element('span', { className: 'dim', attributes: { role: 'status' } });
    this.root = element('span', { className: 'running' }, this.state, this.button);
    running.changed = (isRunning) => this.#changed(isRunning);
  }

  #changed(isRunning) {
    clearTimeout(this.#waiting);
    if (isRunning) this.#waiting = setTimeout(() => this.#show(), PATIENCE);
    else this.#hide();
  }

  #show() {
    this.state.textContent = 'Running; Alt+0 stops it';
    this.button.hidden = false;
  }

  #hide() {
    const hadFocus = this.button === document.activeElement;
    this.state.textContent = '';
    this.button.hidden = true;
    if (hadFocus) this.leave();
  }

  stop() {
    if (this.button.hidden) return;
    this.state.textContent = 'Stopping …';
    this.running.stop();
  }
}
