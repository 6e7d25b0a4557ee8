// SPDX-License-Identifier: Apache-2.0
// Tests hostile names: the page must show every name as plain text, and must hide no character of it.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fixture } from './fixture.mjs';
import { contender, history, lock } from './mock_data.mjs';

const { in_tab } = fixture();

const k_script = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
const k_turned = 'a\u202egnp.exe\u202c';
const k_control = 'tab\there\u001b[31m\u0000';
const k_path = `/locks/"'><svg onload=window.hit=1>&amp;\u202e\u0007`;
const k_shown_path = `/locks/"'><svg onload=window.hit=1>&amp;\\u202e\\x07`;

function hostile() {
  const bad = (age, label) => contender(k_script, `"'><b>${k_turned}`, label, age, { owner: k_script, token: k_script, session: k_turned });
  const found = lock(k_path, 'mutex', [bad(5000, k_control)], [bad(4000, 'javascript:window.hit=1'), bad(3000, k_turned)]);
  found.spans = [...history(found.holders[0]).slice(-3)];
  found.spans[0].host = k_script;
  return {
    locks: [found, lock('/text', 'kazoo', [contender('', '', '', 100, { text: k_script })], [])],
    unreadable: [k_path],
    graph: { nodes: [{ id: '<b>', label: k_script, host: k_script, pid: k_turned, said: k_control }, { id: '2', label: k_turned, host: '', pid: '', said: '' }], edges: [{ from: '<b>', to: '2', path: k_path, kind: 'mutex' }],
      cycles: [], possible: [], truncated: false },
    audit: [{ time: '2026-11-21T04:38:36.123Z', action: k_script, path: k_path, kind: 'mutex', znode: k_script, user: k_script, who: k_turned, times: 1, why: k_script, from: k_script,
      outcome: k_script, message: k_control }],
    servers: [{ address: k_script, role: k_script, reachable: true, version: k_script, latency_ms: 1, connections: 1, problem: k_turned }],
    session: { state: k_script, id: k_turned, timeout_ms: 1 },
  };
}

const k_lock = `/lock?path=${encodeURIComponent(k_path)}&kind=mutex`;

async function check(page, view) {
  const found = await page.evaluate(() => ({
    hit: window.hit ?? 0,
    foreign: document.querySelectorAll('main img, main script, main b, main svg[onload], main [onerror], main [style]').length,
    hidden: [...document.documentElement.innerText].filter((c) => /[\u0000-\u0008\u000e-\u001f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(c)).length,
    scripts: [...document.querySelectorAll('a')].filter((link) => !/^https?:$/.test(link.protocol)).length,
  }));
  assert.deepEqual(found, { hit: 0, foreign: 0, hidden: 0, scripts: 0 }, view);
}

for (const view of ['/', k_lock, '/graph', '/audit', '/servers'])
  test(`hostile names on ${view.slice(0, 6)}`, () =>
    in_tab(async (tab, page) => {
      await tab.open(view);
      await tab.is_live();
      for (const details of await page.locator('main summary').all()) await details.click();
      await check(page, view);
      assert.ok(!/[\u0000-\u001f\u202a-\u202e]/.test(await page.title()));
      const shown = await page.locator('main').innerText();
      assert.ok(shown.includes(view === '/servers' ? k_script : k_shown_path), shown);
    }, { state: hostile() }));

test('a path that cannot be typed is confirmed as it is shown', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await page.getByRole('link', { name: k_shown_path }).first().click();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByLabel('Who you are').fill('<b>ada</b>');
    await page.getByLabel('Why').fill(k_script);
    await page.getByText('Take it from the holder').click();
    await page.getByLabel('To confirm').fill(k_shown_path);
    await page.getByRole('button', { name: 'Take the lock' }).click();
    await page.getByText('its znode was deleted').waitFor();
    await check(page, 'dialog');
    assert.equal(mock.changes.at(-1).body.confirm, k_path);
    assert.equal(mock.changes.at(-1).body.why, k_script);
  }, { state: hostile() }));

test('each name is isolated: it cannot turn the text around it', () =>
  in_tab(async (tab, page) => {
    await tab.open('/');
    const outside = await page.locator('.path, .host, .label').evaluateAll((all) => all.filter((each) => !each.closest('bdi') && !each.querySelector('bdi')).length);
    assert.equal(outside, 0);
  }));
