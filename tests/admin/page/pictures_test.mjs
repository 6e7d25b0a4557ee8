// SPDX-License-Identifier: Apache-2.0
// Draws the pictures of README and docs into the folder that the command line names: docs/pictures by hand, the build
// folder under ctest.
//
//     node pictures_test.mjs FOLDER
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { fixture, k_orders } from './fixture.mjs';
import { k_now } from './mock_data.mjs';

const { in_tab } = fixture();
const folder = process.argv[2] ?? process.env.TURNSTILE_PICTURES ?? 'pictures';
mkdirSync(folder, { recursive: true });

// Draws a page at one instant, with the page's clock stopped.
function picture(name, path, { then, full = true, state, ...options } = {}) {
  test(`picture ${name}`, () =>
    in_tab(async (tab, page) => {
      await page.clock.install({ time: k_now - 3_600_000 });
      await page.clock.pauseAt(k_now);
      await tab.open(path);
      await tab.is_live();
      await then?.(tab, page);
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: full });
    }, { state, ...options }));
}

const k_desk = { width: 1200, height: 860 };
const k_phone = { width: 390, height: 844, full: false };

picture('overview-light', '/', k_desk);
picture('overview-dark', '/', { ...k_desk, colorScheme: 'dark' });
picture('overview-phone', '/', k_phone);
picture('lock-light', k_orders, k_desk);
picture('lock-dark', k_orders, { ...k_desk, colorScheme: 'dark' });
picture('lock-phone', k_orders, { ...k_phone, colorScheme: 'dark' });
picture('graph-light', '/graph', k_desk);
picture('release-light', k_orders, {
  ...k_desk,
  full: false,
  async then(tab, page) {
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByLabel('Who you are').fill('ada');
    await page.getByLabel('Why').fill('stuck since noon, ticket 4812');
    await page.getByRole('button', { name: 'Ask to release' }).click();
    await page.getByLabel('To confirm').waitFor();
  },
});
