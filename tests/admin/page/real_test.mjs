// SPDX-License-Identifier: Apache-2.0
// Tests the page of `turnstile serve` on a real ZooKeeper server, with processes as contenders.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { browser } from './browser.mjs';
import { child, end_all, start_holder, start_page, start_servers } from './processes.mjs';

const k_password = 'correct horse battery staple';
const k_many = 10_000;
const k_hostile = '<img src=x onerror=window.hit=1>\u202e';

const folder = mkdtempSync(join(tmpdir(), 'turnstile-page-'));
const here = {};

before(async () => {
  here.chromium = await browser.start();
  const { servers, connect_string } = await start_servers();
  Object.assign(here, { servers, connect_string });
  const password_file = join(folder, 'password');
  writeFileSync(password_file, `${k_password}\n`, { mode: 0o600 });
  here.changing = ['--allow-changes', '--password-file', password_file];
  here.looking = await start_page(connect_string);
});
after(async () => {
  await here.chromium?.close();
  await end_all();
  rmSync(folder, { recursive: true });
});

async function in_tab(url, body) {
  const tab = await here.chromium.tab(url);
  await body(tab, tab.page);
  tab.check_clean();
  await tab.page.context().close();
}

const lock_address = (path) => `/lock?path=${encodeURIComponent(path)}&kind=mutex`;

async function sign_in(tab, page, path) {
  await tab.open(path);
  await page.getByLabel('Password').fill(k_password);
  await page.keyboard.press('Enter');
  await tab.is_live();
}

test('a lock appears, its queue moves, it goes', () =>
  in_tab(here.looking.url, async (tab, page) => {
    await tab.open('/');
    await tab.shows('No lock is held or waited for.');
    const first = start_holder(here.connect_string, '/locks/orders', 'nightly');
    await first.says(/^holds$/m);
    await tab.shows('/locks/orders', '.locks');
    await tab.shows('nightly', '.locks');
    const second = start_holder(here.connect_string, '/locks/orders', 'import');
    await page.locator('.locks').getByRole('link', { name: '/locks/orders' }).click();
    await tab.shows('nightly', '.holder');
    await tab.shows('import', '.queue');
    await first.end();
    await second.says(/^holds$/m);
    await tab.shows('import', '.holder');
    await tab.shows('The queue is empty.');
    await page.getByText('As a table').click();
    await tab.shows('ended', '.as-table');
    await tab.check_accessibility('a real lock');
    await second.end();
    await tab.shows('This lock is free.');
  }));

test('a forced release: the holder is told, then the lock is taken from it', async () => {
  const holder = start_holder(here.connect_string, '/locks/stuck', 'stuck');
  await holder.says(/^holds$/m);
  const next = start_holder(here.connect_string, '/locks/stuck', 'next');
  const { server, url } = await start_page(here.connect_string, here.changing);
  await in_tab(url, async (tab, page) => {
    await sign_in(tab, page, lock_address('/locks/stuck'));
    await tab.shows('next', '.queue');
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByLabel('Who you are').fill('ada');
    await page.getByLabel('Why').fill('stuck since noon');
    await page.getByRole('button', { name: 'Ask to release' }).click();
    const [, told] = await holder.says(/^(.*asked_to_release.*)$/m);
    assert.deepEqual(JSON.parse(told), { event: 'asked_to_release', who: 'ada', why: 'stuck since noon' });
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    await page.getByLabel('To confirm').fill('/locks/stuck');
    await page.getByRole('button', { name: 'Take the lock' }).click();
    assert.equal((await holder.ended).code, 76, 'the hold is lost');
    await next.says(/^holds$/m);
    await page.getByRole('dialog').getByText(/The holder released the lock by itself|its znode was deleted/).waitFor();
    await page.getByRole('dialog').getByText('holds the lock now.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await tab.shows('next', '.holder');
    await page.getByRole('link', { name: 'Audit log' }).click();
    const rows = page.locator('tbody tr');
    await rows.nth(1).waitFor();
    assert.match(await rows.nth(0).innerText(), /took\s+\/locks\/stuck\s+ada with the shared password 127\.0\.0\.1\s+stuck since noon\s+(gave way|deleted)/);
    assert.match(await rows.nth(1).innerText(), /asked to release\s+\/locks\/stuck\s+ada with the shared password 127\.0\.0\.1\s+stuck since noon\s+asked/);
  });
  await server.end();
  await next.end();
});

test('a wrong password, and a server that changes nothing', async () => {
  const { server, url } = await start_page(here.connect_string, here.changing);
  await in_tab(url, async (tab, page) => {
    await tab.open('/');
    await page.getByLabel('Password').fill('not this');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The password is wrong.').waitFor();
    await sign_in(tab, page, '/audit?list=sign_ins');
    await tab.shows('sign-in failed');
  });
  await server.end();
  await in_tab(here.looking.url, async (tab, page) => {
    await tab.open('/');
    await page.getByText('read-only', { exact: true }).waitFor();
    const answer = await page.evaluate(async () => {
      const body = JSON.stringify({ path: '/locks/a', kind: 'mutex', znode: 'x', who: 'x', why: 'x', confirm: '/locks/a' });
      const given = await fetch('/api/v1/take', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      return [given.status, (await given.json()).error.code];
    });
    assert.deepEqual(answer, [403, 'read_only']);
  });
});

test('hostile names are text', () =>
  in_tab(here.looking.url, async (tab, page) => {
    const path = '/locks/<svg onload=window.hit=1>';
    const holder = start_holder(here.connect_string, path, k_hostile);
    await holder.says(/^holds$/m);
    await tab.open('/');
    await tab.shows(path, '.locks');
    await page.getByRole('link', { name: path }).first().click();
    await tab.shows('<img src=x onerror=window.hit=1>\\u202e', '.holder');
    assert.deepEqual(await page.evaluate(() => [window.hit ?? 0, document.querySelectorAll('main img').length]), [0, 0]);
    await holder.end();
  }));

test('the server of the page goes and comes', async () => {
  const holder = start_holder(here.connect_string, '/locks/kept', 'kept');
  const first = await start_page(here.connect_string);
  await in_tab(first.url, async (tab, page) => {
    await tab.open('/');
    await tab.shows('/locks/kept', '.locks');
    await first.server.end();
    await page.getByText('No connection to turnstile serve').waitFor();
    await tab.shows('/locks/kept', '.locks');
    const second = await start_page(here.connect_string, [], new URL(first.url).port);
    await tab.is_live();
    await page.locator('.notice').waitFor({ state: 'detached' });
    await second.server.end();
  });
  await holder.end();
});

test(`${k_many} locks`, async () => {
  const makes = new child([process.env.TURNSTILE_PYTHON ?? '/usr/bin/python3', new URL('make_locks.py', import.meta.url).pathname, here.connect_string, String(k_many)]);
  await makes.says(/^made$/m);
  const { server, url } = await start_page(here.connect_string, ['--max-requests', '1000000']);
  await in_tab(url, async (tab, page) => {
    await tab.open('/');
    await tab.shows(`1–50 of ${k_many.toLocaleString('en-US')}`, '.wide');
    const start = performance.now();
    await page.goto(url);
    await page.locator('.locks tbody tr').nth(49).waitFor();
    console.log(`first view of ${k_many} locks: ${Math.round(performance.now() - start)} ms`);
    await page.getByRole('searchbox', { name: 'Path' }).fill('item-09999');
    await tab.shows('1 lock found', '.wide');
  });
  await server.end();
  await makes.end();
});
