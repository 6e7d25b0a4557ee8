// SPDX-License-Identifier: Apache-2.0
// Tests the page while locks change, and while servers come and go.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fixture, k_orders, lock_at } from './fixture.mjs';
import { contender, lock } from './mock_data.mjs';
import { hand_over } from './mock_server.mjs';

const { in_tab } = fixture();

const text_of = (page, text) => page.locator('main').getByText(text).first();
const paths = (page) => page.locator('.locks .path').allTextContents();

test('a lock appears, and goes', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    mock.change(({ locks }) => locks.push(lock('/locks/new', 'mutex', [contender('web-9', 1, '', 500)], [])));
    await tab.shows('/locks/new', '.locks');
    assert.match(await page.locator('.totals').innerText(), /Locks\s+11/);
    mock.change((state) => state.locks.pop());
    await page.locator('.locks').getByText('/locks/new').waitFor({ state: 'detached' });
  }));

test('the queue moves', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open(k_orders);
    await tab.is_live();
    const orders = lock_at(mock.state, '/locks/orders');
    mock.change(() => hand_over(orders, orders.holders[0].znode));
    await tab.shows('web-1', '.holder');
    assert.match((await page.locator('.queue tbody tr').allInnerTexts())[0], /^1st\s+web-3 pid 77/);
    assert.equal(await page.locator('.queue tbody tr').count(), 5);
  }));

test('ages count on without a word from the server', () =>
  in_tab(async (tab, page) => {
    await page.clock.install();
    // The stream's first event makes the page read the view a second time. Then the ages start again.
    const is_overview = (url) => url.endsWith('/api/v1/overview');
    const second = page.waitForResponse((answer) => is_overview(answer.url()) && tab.requests.filter(is_overview).length === 2);
    await tab.open('/');
    await tab.is_live();
    await (await second).finished();
    const reads = tab.requests.length;
    await page.clock.runFor(5000);
    const age = page.locator('.locks tr', { hasText: '/locks/orders' }).locator('.col-time').first();
    await tab.eventually((shown) => parseInt(shown.innerText, 10) >= 22, await age.elementHandle());
    assert.equal(tab.requests.length, reads);
  }));

test('while the pointer is in the list no row moves', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    const before = await paths(page);
    await page.locator('.locks tr', { hasText: '/jobs/report' }).hover();
    mock.change(({ locks }) => {
      lock_at({ locks }, '/jobs/report').waiting = 40;
      locks.splice(locks.indexOf(lock_at({ locks }, '/jobs/backup')), 1);
    });
    await page.locator('.locks tr', { hasText: '/jobs/report' }).getByText('40').waitFor();
    assert.deepEqual(await paths(page), before);
    assert.match(await page.locator('.locks tr', { hasText: '/jobs/backup' }).innerText(), /no longer here/);
    await page.mouse.move(5, 5);
    mock.change(() => {});
    await tab.eventually(() => document.querySelector('.locks .path').textContent === '/jobs/report');
    assert.ok(!(await paths(page)).includes('/jobs/backup'));
  }));

test('focus, selection and what is open outlive an update', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open(k_orders);
    await tab.is_live();
    await page.getByText('As a table').click();
    await page.locator('.step, .choices a').first().focus();
    mock.change(({ locks }) => lock_at({ locks }, '/locks/orders').waiters.push(contender('late', 9, '', 10)));
    await tab.shows('late', '.queue');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'auto');
    assert.ok(await page.locator('details.as-table').evaluate((details) => details.open));
  }));

test('an update moves nothing', () =>
  in_tab(async (tab, page, mock) => {
    // all ages grow by the same amount, so the order stays
    lock_at(mock.state, '/locks/orders').spans = [];
    await tab.open('/');
    await tab.is_live();
    await page.evaluate(() => {
      window.shifts = [];
      const seen = (list) => list.getEntries().forEach(({ sources }) => window.shifts.push(...sources.map(({ node }) => node?.data || node?.className || node?.nodeName)));
      new PerformanceObserver(seen).observe({ type: 'layout-shift' });
    });
    const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    mock.change((state) => {
      for (const each of state.locks) each.holders.forEach((holder) => (holder.age_ms += 86_400_000));
      lock_at(state, '/locks/orders').waiting = 4711;
      state.stale = true;
    });
    await tab.shows('4,711');
    await page.locator('.notice').waitFor();
    await frame();
    mock.change((state) => (state.stale = false));
    await page.locator('.notice').waitFor({ state: 'detached' });
    await frame();
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
  }));

test('servers that do not answer: a notice, and ages stand still', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    mock.change((state) => (state.stale = true));
    await page.getByRole('status').getByText('The ZooKeeper servers do not answer. This page shows the locks as of 04:38:36 UTC.').waitFor();
    await page.locator('.state', { hasText: 'Stale' }).waitFor();
    mock.change((state) => (state.stale = false));
    await tab.is_live();
    await page.locator('.notice').waitFor({ state: 'detached' });
  }));

test('the server of the page is gone, and back with other locks', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    await mock.stop();
    await page.getByRole('status').getByText('No connection to turnstile serve: trying again.').waitFor();
    assert.equal((await paths(page)).length, 10, 'what was there stays');
    mock.state.locks = [lock('/locks/after', 'mutex', [contender('web-9', 1, '', 500)], [])];
    await mock.start();
    await tab.is_live();
    await text_of(page, '/locks/after').waitFor();
    assert.deepEqual(await paths(page), ['/locks/after']);
  }));

test('a view that is opened while the server is gone', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.is_live();
    await mock.stop();
    await page.locator('.notice').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await tab.shows('Turnstile serve does not answer.');
    await mock.start();
    await tab.shows('stuck since noon');
  }));

test('before the servers were read once', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/');
    await tab.shows('Not read yet');
    mock.state.snapshot = true;
    await tab.shows('/locks/orders');
    await tab.is_live();
  }, { state: { snapshot: false } }));

test('a lock that is free appears where one waits for it', () =>
  in_tab(async (tab, page, mock) => {
    await tab.open('/lock?path=/locks/soon');
    await tab.shows('This lock is free');
    mock.change(({ locks }) => locks.push(lock('/locks/soon', 'mutex', [contender('web-9', 1, 'first', 500)], [])));
    await tab.shows('first', '.holder');
  }));
