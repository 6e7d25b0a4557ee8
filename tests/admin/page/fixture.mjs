// SPDX-License-Identifier: Apache-2.0
// Gives the tests of one file a mock of the server and a browser, and each test a clean tab.
import { after, before } from 'node:test';

import { browser } from './browser.mjs';
import { mock_server, scene } from './mock_server.mjs';

export function fixture() {
  const running = {
    mock: null,
    chromium: null,
    // Runs `body` in a new tab. `state` and `options` override parts of the scene.
    async in_tab(body, { state = {}, ...options } = {}) {
      const { mock } = running;
      mock.state = { ...scene(), ...state };
      mock.changes.length = 0;
      mock.signed_in.clear();
      const tab = await running.chromium.tab(mock.url, options);
      await body(tab, tab.page, mock);
      tab.check_clean();
      await tab.page.context().close();
    },
  };
  before(async () => {
    running.mock = await new mock_server().start();
    running.chromium = await browser.start();
  });
  after(async () => {
    await running.chromium?.close();
    await running.mock?.stop();
  });
  return running;
}

export const lock_at = (state, path) => state.locks.find((lock) => lock.path === path);

export const k_orders = '/lock?path=%2Flocks%2Forders&kind=mutex';
