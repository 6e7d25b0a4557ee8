// SPDX-License-Identifier: Apache-2.0
// Tests accessibility: axe-core must find no violation in any view, in light and dark colours, at desk and phone width.
// Further tests check rules that axe does not know.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fixture, k_orders } from './fixture.mjs';

const { in_tab } = fixture();

const k_phone = { width: 390, height: 844 };

async function open_dialog(page) {
  await page.getByRole('button', { name: 'Release' }).click();
  await page.getByText('Take it from the holder').click();
}

const k_views = [
  ['the overview', '/'],
  ['a lock', k_orders, (page) => page.getByText('As a table').click()],
  ['a semaphore', '/lock?path=/locks/gpu&kind=semaphore'],
  ['the graph', '/graph'],
  ['the servers', '/servers'],
  ['the audit log', '/audit'],
  ['the dialog', k_orders, open_dialog],
];

for (const [what, path, then] of k_views)
  test(`axe finds nothing: ${what}`, () =>
    in_tab(async (tab, page) => {
      await tab.open(path);
      await tab.is_live();
      await then?.(page);
      await tab.check_accessibility('light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize(k_phone);
      await tab.check_accessibility('dark, phone');
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wider <= 0, `the page is ${wider} pixels wider than the phone`);
    }));

test('axe finds nothing: signing in, a free lock, a notice', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.check_accessibility('sign-in');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The password is wrong.').waitFor();
    await tab.check_accessibility('wrong password');
    await page.getByLabel('Password').fill('right');
    await page.keyboard.press('Enter');
    await tab.is_live();
    mock.change((state) => (state.stale = true));
    await page.locator('.notice').waitFor();
    await tab.check_accessibility('stale');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.check_accessibility('stale, dark');
    await tab.open('/lock?path=/locks/free');
    await tab.check_accessibility('free');
  }, { state: { password: 'right' } }));

test('the switch of colours, kept for the next visit', () =>
  in_tab(async (tab, page) => {
    const ground = () => page.evaluate(() => window.getComputedStyle(document.documentElement).backgroundColor);
    await tab.open('/');
    const light = await ground();
    const dark_colours = page.getByRole('switch', { name: 'Dark colours' });
    assert.equal(await dark_colours.getAttribute('aria-checked'), 'false');
    await dark_colours.click();
    const dark = await ground();
    assert.notEqual(dark, light);
    assert.equal(await dark_colours.getAttribute('aria-checked'), 'true');
    await page.reload();
    await page.locator('h1').waitFor();
    assert.equal(await ground(), dark);
    await page.emulateMedia({ colorScheme: 'dark' });
    await dark_colours.click();
    assert.equal(await ground(), light, 'the choice is stronger than the system');
  }));

test('the first key press leads past the bar', () =>
  in_tab(async (tab, page) => {
    await tab.open('/');
    await page.keyboard.press('Tab');
    await page.locator('.skip:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.locator('main :focus').waitFor();
  }));

test('nothing moves by itself', () =>
  in_tab(async (tab, page) => {
    await tab.open(k_orders);
    await tab.is_live();
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  }, { reducedMotion: 'reduce' }));
