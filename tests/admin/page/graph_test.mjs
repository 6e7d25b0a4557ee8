// SPDX-License-Identifier: Apache-2.0
// Tests the wait-for graph: cycles, how they end, and a drawing in which every text is legible.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fixture } from './fixture.mjs';

const { in_tab } = fixture();

const k_phone = { width: 390, height: 844 };

// Makes a graph with long hosts, labels and paths, with edges over several columns, and with two edges that lead back.
function crowded() {
  const hosts = ['batch-importer-eu-central-1a-0017', 'web-1', 'api-gateway-blue-production-3', 'ops', 'batch-2', 'web-5'];
  const nodes = hosts.map((host, i) => ({ id: `n${i}`, host, pid: String(1_000_000 + i), said: i % 2 ? 'nightly recalculation' : '',
    label: `${host} pid ${1_000_000 + i}` }));
  const edge = (from, to, path) => ({ from: `n${from}`, to: `n${to}`, path, kind: 'mutex', confirmed: true });
  return {
    nodes,
    edges: [edge(0, 1, '/locks/a/very/long/path/of/folders/orders'), edge(1, 2, '/locks/prices'), edge(2, 3, '/locks/invoices'),
      edge(0, 3, '/locks/shop/stock/hamburg'), edge(0, 2, '/locks/shop/stock/berlin'), edge(4, 1, '/locks/shop/catalogue'),
      edge(5, 2, '/locks/shop/catalogue/all'), edge(3, 0, '/locks/one'), edge(3, 1, '/locks/two')],
    cycles: [['n0', 'n1', 'n2', 'n3']],
    possible: [],
    truncated: false,
  };
}

const region = (page) => page.getByRole('region', { name: 'Picture of the graph' });

// Returns the labels that touch a box or another label, and the texts that leave their box, as the browser has drawn
// them.
const k_touching = () => {
  const area = (element) => element.getBoundingClientRect();
  const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const labels = [...document.querySelectorAll('.graph .edge-label')];
  const boxes = [...document.querySelectorAll('.graph .node .front')];
  const found = [];
  labels.forEach((label, i) => {
    for (const box of boxes) if (meet(area(label), area(box))) found.push(`${label.lastChild.data} touches a box`);
    for (const other of labels.slice(i + 1)) if (meet(area(label), area(other))) found.push(`${label.lastChild.data} touches ${other.lastChild.data}`);
  });
  for (const text of document.querySelectorAll('.graph .node text')) {
    const box = area(text.parentNode.querySelector('.front'));
    const { left, right, top, bottom } = area(text);
    if (left < box.left || right > box.right || top < box.top || bottom > box.bottom) found.push(`${text.textContent} leaves its box`);
  }
  return found;
};

for (const [where, size] of [['a desk', {}], ['a phone', k_phone]])
  for (const [what, state] of [['the scene', {}], ['a crowded graph', { graph: crowded() }]])
    test(`no label touches a box on ${where}: ${what}`, () =>
      in_tab(async (tab, page) => {
        await tab.open('/graph');
        await region(page).waitFor();
        assert.deepEqual(await page.evaluate(k_touching), []);
        const pids = await page.locator('.graph .below').allTextContents();
        for (const { pid } of (state.graph ?? { nodes: [] }).nodes) assert.ok(pids.some((text) => text.includes(`pid ${pid}`)), `pid ${pid} is whole`);
      }, { state, ...size }));

test('the graph fits a phone', () =>
  in_tab(async (tab, page) => {
    await tab.open('/graph');
    await region(page).waitFor();
    const [inside, outside] = await region(page).evaluate((each) => [each.scrollWidth, each.clientWidth]);
    assert.ok(inside <= outside, `${inside} of ${outside}`);
    assert.equal(await page.locator('.graph .node').count(), 8);
  }, k_phone));

test('a cycle names its locks, with links, in the order of their release', () =>
  in_tab(async (tab, page) => {
    await tab.open('/graph');
    await tab.shows('2 cycles');
    const steps = page.locator('.release-order').first().getByRole('listitem');
    assert.deepEqual(await steps.allInnerTexts(), ['Release /locks/orders, which web-2 pid 4711 holds: web-1 pid 90 goes on.',
      '/locks/invoices follows when web-1 pid 90 releases it: batch-1 pid 12 goes on.',
      '/locks/prices follows when batch-1 pid 12 releases it: web-2 pid 4711 goes on.']);
    await steps.first().getByRole('link', { name: '/locks/orders' }).click();
    await page.locator('h1', { hasText: '/locks/orders' }).waitFor();
  }));

test('a closed loop is a possible cycle until it is confirmed', () =>
  in_tab(async (tab, page, mock) => {
    const { graph } = mock.state;
    const { cycles } = graph;
    mock.change(() => Object.assign(graph, { cycles: [], possible: cycles }));
    await tab.open('/graph');
    await page.getByRole('heading', { name: '2 possible cycles, being confirmed' }).waitFor();
    await tab.shows('10 waits, 2 possible cycles, being confirmed.', '.view-head');
    assert.equal(await page.getByText('0 cycles').count(), 0);
    assert.equal(await page.locator('.graph path.edge.is-possible').count(), 5);
    await tab.check_accessibility('possible cycles');
    mock.change(() => Object.assign(graph, { cycles, possible: [] }));
    await page.getByRole('heading', { name: '2 cycles' }).waitFor();
    assert.equal(await page.locator('.graph path.edge.is-cycle').count(), 5);
    assert.equal(await page.locator('.graph path.edge.is-possible').count(), 0);
  }));

test('a wide graph scrolls, with the keyboard too', () =>
  in_tab(async (tab, page) => {
    await tab.open('/graph');
    await region(page).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await tab.eventually(() => document.activeElement.scrollLeft > 0);
  }, { width: 760, height: 844, state: { graph: crowded() } }));
