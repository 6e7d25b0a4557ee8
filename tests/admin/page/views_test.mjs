// SPDX-License-Identifier: Apache-2.0
// Tests each view, its address, and the links between the views.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fixture } from './fixture.mjs';
import { contender, history, lock, many_locks } from './mock_data.mjs';

const { in_tab } = fixture();

const paths = (page) => page.locator('.locks .path').allTextContents();

test('the overview: totals, contended locks first, longest holds, servers', () =>
  in_tab(async (tab, page) => {
    await tab.open('/');
    await tab.is_live();
    assert.equal((await paths(page))[0], '/locks/orders');
    assert.match(await page.locator('.totals').innerText(), /Locks\s+10\s+Held\s+10\s+Contended\s+6/);
    const row = page.locator('.locks tr', { hasText: '/locks/orders' });
    assert.match(await row.innerText(), /web-2 pid 4711\s+nightly\s+\d+ s\s+6\s+\d+ s/);
    assert.match(await page.locator('.holds li').first().innerText(), /\/election\/scheduler\s+6 d 2 h\s+ops-1/);
    assert.match(await page.locator('.servers').innerText(), /zk3\.example:2181\s+no answer\s+connection refused/);
    await tab.shows('as of 04:38:36 UTC');
  }));

test('the overview has waits and holds by template, and says so while there are none', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    const card = page.locator('section.card', { hasText: 'Waits and holds' });
    assert.match(await card.locator('li').first().innerText(),
      /\/locks\/\{\}\s+475 holds\s+wait 1\.9 s, 99 % 31 s\s+hold 2\.6 s, 99 % 20 s\s+1 taken, 1 released or lost/);
    mock.change((state) => {
      for (const each of state.locks) delete each.distributions;
    });
    await tab.shows('No hold has ended yet.');
  }));

test('a search is in the address, by path and by holder', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await page.getByRole('searchbox', { name: 'Path' }).fill('stock');
    await tab.eventually(() => document.querySelectorAll('.locks tbody tr').length === 2);
    assert.equal(new URL(page.url()).search, '?prefix=stock');
    await page.getByRole('searchbox', { name: 'Holder' }).fill('WEB-1');
    await tab.eventually(() => document.querySelectorAll('.locks tbody tr').length === 1);
    assert.deepEqual(await paths(page), ['/locks/shop/stock/berlin']);
    await page.reload();
    assert.equal(await page.getByRole('searchbox', { name: 'Path' }).inputValue(), 'stock');
    await tab.eventually(() => document.querySelectorAll('.locks tbody tr').length === 1);
    await page.getByRole('searchbox', { name: 'Holder' }).fill('nothing of this name');
    await tab.shows('No lock matches.');
    await page.goto(`${mock.url}/?kind=semaphore&sort=path`);
    await tab.eventually(() => document.querySelector('.locks .path')?.textContent === '/locks/gpu');
    assert.equal(await page.getByRole('combobox', { name: 'Kind' }).inputValue(), 'semaphore');
    assert.equal(await page.getByRole('combobox', { name: 'Order' }).inputValue(), 'path');
  }));

test('a lock, and back with the button of the browser', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/?prefix=orders');
    await page.locator('.locks').getByText('/locks/orders').click();
    await page.locator('h1', { hasText: '/locks/orders' }).waitFor();
    assert.equal(page.url(), `${mock.url}/lock?path=%2Flocks%2Forders&kind=mutex`);
    assert.equal(await page.title(), '/locks/orders · Turnstile');
    await tab.eventually(() => document.activeElement === document.querySelector('h1'));
    assert.match(await page.locator('.holder').innerText(), /web-2 pid 4711 nightly[^]*0x5000000a1/);
    const queue = await page.locator('.queue tbody tr').allInnerTexts();
    assert.equal(queue.length, 6);
    assert.match(queue[0], /^1st\s+web-1 pid 90 import\s+\d+ s/);
    assert.ok((await page.locator('.timeline .is-holding').count()) > 20);
    assert.match(await page.locator('.quantiles').first().innerText(), /Median\s+2\.6 s/);
    await page.goBack();
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    assert.equal(await page.getByRole('searchbox', { name: 'Path' }).inputValue(), 'orders');
    await page.goForward();
    await page.locator('h1', { hasText: '/locks/orders' }).waitFor();
  }));

const long_queue = () => ({
  locks: [Object.assign(lock('/locks/long', 'mutex', [contender('web-1', 1, 'first', 90_000)],
    Array.from({ length: 60 }, (_, i) => contender(`web-${i % 7}`, 500 + i, i % 2 ? 'import' : 'export', 80_000 - 1000 * i))),
  { spans: history(contender('web-1', 1, 'first', 90_000)) })],
});

test('a long queue leaves the timeline in sight', () =>
  in_tab(async (tab, page) => {
    await tab.open('/lock?path=/locks/long&kind=mutex');
    await page.locator('.timeline').waitFor();
    const at = async (place) => (await page.locator(place).boundingBox()).y;
    assert.ok((await at('#timeline-title')) < 860, `the timeline begins at ${await at('#timeline-title')} of 860 pixels`);
    assert.equal(await page.locator('.queue tbody tr').count(), 8);
    await page.getByRole('link', { name: '50 rows' }).click();
    await tab.eventually(() => document.querySelectorAll('.queue tbody tr').length === 50);
    assert.match(page.url(), /rows=50/);
  }, { state: long_queue() }));

test('a queue is searched, and each match keeps its place', () =>
  in_tab(async (tab, page) => {
    await tab.open('/lock?path=/locks/long&kind=mutex');
    await page.getByRole('searchbox', { name: 'Search the queue' }).fill('WEB-3');
    await tab.shows('9 of 60 match');
    const rows = page.locator('.queue tbody tr');
    assert.match(await rows.nth(0).innerText(), /^4th\s+web-3 pid 503/);
    assert.match(await rows.nth(1).innerText(), /^11th\s+web-3 pid 510/);
    assert.match(page.url(), /contender=WEB-3/);
    await page.reload();
    await tab.shows('9 of 60 match');
    await page.getByRole('searchbox', { name: 'Search the queue' }).fill('559');
    await tab.shows('1 of 60 match');
    await page.getByRole('searchbox', { name: 'Search the queue' }).fill('nothing like this');
    await tab.shows('No contender of the queue matches.');
  }, { state: long_queue() }));

test('a view that is slow to read says so', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    let go_on;
    mock.state.hold_reads = new Promise((done) => (go_on = done));
    await page.getByRole('link', { name: 'Wait-for graph' }).click();
    await page.locator('h1', { hasText: 'Wait-for graph' }).waitFor();
    await page.getByRole('status').getByText('Reading').waitFor();
    assert.equal(await page.locator('main').getAttribute('aria-busy'), 'true');
    assert.equal(await page.locator('.locks').count(), 0, 'the view before is gone');
    await tab.check_accessibility('while it is read');
    mock.state.hold_reads = null;
    go_on();
    await tab.shows('2 cycles');
    assert.equal(await page.locator('main').getAttribute('aria-busy'), null);
  }));

test('the timeline as bars and as a table, of the time that is chosen', () =>
  in_tab(async (tab, page) => {
    await tab.open('/lock?path=/locks/orders&kind=mutex');
    const bars = () => page.locator('.timeline .is-holding').count();
    const all = await bars();
    await page.getByRole('link', { name: '1 min', exact: true }).click();
    await page.locator('.choices [aria-current]', { hasText: '1 min' }).waitFor();
    assert.ok((await bars()) < all);
    assert.match(page.url(), /for=60$/);
    await page.getByText('As a table').click();
    const rows = page.getByRole('table', { name: 'Holds, newest first' }).getByRole('row');
    assert.match(await rows.nth(1).innerText(), /web-2, pid 4711, nightly[^]*holds it now/);
    await tab.shows('taken from the holder', '.as-table');
    await tab.shows('released by the holder', '.as-table');
  }));

test('a semaphore has holders in a table, a free lock says so', () =>
  in_tab(async (tab, page) => {
    await tab.open('/lock?path=/locks/gpu&kind=semaphore');
    assert.equal(await page.getByRole('table', { name: 'Holders' }).getByRole('row').count(), 6);
    await tab.shows('semaphore of 5');
    await tab.open('/lock?path=/locks/free');
    await tab.shows('This lock is free');
  }));

test('the graph, its cycles, and the same as a table', () =>
  in_tab(async (tab, page) => {
    await tab.open('/graph');
    await tab.shows('2 cycles');
    assert.equal(await page.locator('.graph .node').count(), 8, 'three in line are one node');
    assert.equal(await page.locator('.graph path.edge.is-cycle').count(), 5);
    assert.equal(await page.getByText('in a cycle', { exact: true }).count(), 5);
    await page.getByRole('table').getByRole('link', { name: '/locks/prices' }).click();
    await page.locator('h1', { hasText: '/locks/prices' }).waitFor();
  }));

test('a graph four boxes wide is whole on a desk', () =>
  in_tab(async (tab, page) => {
    await tab.open('/graph');
    const picture = page.getByRole('region', { name: 'Picture of the graph' });
    await picture.waitFor();
    assert.ok(await picture.evaluate((region) => region.scrollWidth <= region.clientWidth));
  }, { width: 1200 }));

test('the audit log in pages', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/audit');
    await tab.shows('stuck since noon, ticket 4812');
    const [entry] = mock.state.audit;
    mock.state.audit = Array.from({ length: 120 }, (_, i) => ({ ...entry, why: `reason ${i}` }));
    await tab.open('/audit');
    await page.getByRole('link', { name: 'Last' }).click();
    await tab.shows('101–120 of 120');
    await tab.shows('reason 119');
  }));

test('servers, an address without a view, folders that may not be read', () =>
  in_tab(async (tab, page) => {
    await tab.open('/servers');
    await tab.shows('connection refused');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('1 folder may not be read').click();
    await tab.shows('/locks/secret');
    assert.match(await page.locator('.view-head .json').getAttribute('href'), /^\/api\/v1\/overview$/);
    await page.evaluate(() => {
      window.history.pushState(null, '', '/nothing');
      window.dispatchEvent(new PopStateEvent('popstate'));
    });
    await tab.shows('No such page');
  }, { state: { unreadable: ['/locks/secret'] } }));

test('10,000 locks', () =>
  in_tab(async (tab, page, mock) => {
    const start = performance.now();
    await page.goto(mock.url);
    await page.locator('.locks tbody tr').nth(49).waitFor();
    console.log(`first view of 10,000 locks: ${Math.round(performance.now() - start)} ms, mock's own time included`);
    await tab.shows('1–50 of 10,000', '.wide');
    await page.getByRole('link', { name: 'Last' }).click();
    await tab.shows('9,951–10,000 of 10,000', '.wide');
    assert.equal(await page.locator('.locks tbody tr').count(), 50);
    await page.goBack();
    await tab.shows('1–50 of 10,000', '.wide');
  }, { state: { locks: many_locks(10_000) } }));
