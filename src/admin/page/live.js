// SPDX-License-Identifier: Apache-2.0
// The stream of changes: one EventSource for the open view. The class opens a new EventSource when the old one ends.
//
// State of the stream: opening -> open -> lost -> open ... The state is `lost` until an event stream answers again. A
// browser reconnects by itself after a lost connection, but not after an answer that is no stream (401, 503). Then this
// class reconnects.
import { address_of } from './api.js';

const k_first_pause_ms = 1000;
const k_longest_pause_ms = 15_000;

export class live_stream {
  // on_news(): called after a change of the data, and after a reconnect, because the stream may have missed changes.
  // on_state(state): called with the new state of the stream. on_stale(stale): called when the server's data has become
  // stale or fresh.
  constructor({ on_news, on_state, on_stale }) {
    this.on_news = on_news;
    this.on_state = on_state;
    this.on_stale = on_stale;
    this.state = 'opening';
    this.pause_ms = k_first_pause_ms;
    this.source = null;
    this.timer = null;
    this.parameters = {};
    window.addEventListener('online', () => this.state === 'lost' && this.connect());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible' && this.state === 'lost') this.connect();
    });
  }

  // Opens a stream of the changes of one lock ({path, kind}) or, without parameters, of all locks.
  follow(parameters = {}) {
    if (this.source && JSON.stringify(parameters) === JSON.stringify(this.parameters)) return;
    this.parameters = parameters;
    this.connect();
  }

  connect() {
    this.close();
    const source = new EventSource(address_of('events', this.parameters));
    this.source = source;
    source.onopen = () => {
      const was_lost = this.state === 'lost';
      this.pause_ms = k_first_pause_ms;
      this.be('open');
      if (was_lost) this.on_news();
    };
    source.onerror = () => this.failed(source);
    for (const event of ['overview', 'lock']) source.addEventListener(event, () => this.on_news());
    source.addEventListener('stale', () => this.on_stale(true));
    source.addEventListener('fresh', () => this.on_stale(false));
  }

  failed(source) {
    if (source !== this.source) return;
    this.be('lost');
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.pause_ms);
    this.pause_ms = Math.min(2 * this.pause_ms, k_longest_pause_ms);
  }

  be(state) {
    if (state === this.state) return;
    this.state = state;
    this.on_state(state);
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}
