// SPDX-License-Identifier: Apache-2.0
// Tests the page's parts that need no browser: texts, addresses, coordinates of a graph.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const k_page = new URL('../../../src/admin/page/', import.meta.url);
// Loads a file as a module. Node takes a file that ends with .js for no module, but a browser ignores the ending.
const part = (file) => import(`data:text/javascript;base64,${readFileSync(new URL(file, k_page)).toString('base64')}`);
const text = await part('text.js');
const links = await part('links.js');
const { components, layout } = await part('graph_layout.js');
const { fold } = await part('graph_folding.js');
const { release_order } = await part('graph_cycles.js');

test('what cannot be seen is written out', () => {
  assert.equal(text.plain('a\u0000b\u001bc\u007f\u0085'), 'a\\x00b\\x1bc\\x7f\\x85');
  assert.equal(text.plain('a\u202eb\u2066c\u200bd\ufeff'), 'a\\u202eb\\u2066c\\u200bd\\ufeff');
  assert.equal(text.plain('tag \u{e0041}, half \ud800.'), 'tag \\u{e0041}, half \\ud800.');
  assert.equal(text.plain('line\nbreak\u2028'), 'line\\x0abreak\\u2028');
});

test('letters of all languages stay', () => {
  for (const name of ['Größe', 'склад', '在庫', 'مخزن', 'मूल्य', '📦']) assert.equal(text.plain(name), name);
});

test('pieces together are the text', () => {
  const name = 'a\u202eb<b>\u0000';
  assert.equal(text.pieces(name).map((piece) => piece.text).join(''), text.plain(name));
  assert.deepEqual(text.pieces(name).map((piece) => piece.escape), [false, true, false, true]);
  assert.deepEqual(text.pieces(''), []);
});

test('durations have two units at most', () => {
  const said = [[0, '0 s'], [350, '350 ms'], [12_000, '12 s'], [61_000, '1 min 1 s'], [3_600_000, '1 h'], [90_061_000, '1 d 1 h']];
  for (const [ms, wanted] of said) assert.equal(text.duration(ms), wanted);
  assert.equal(text.duration(null), '–');
  assert.equal(text.seconds(640), '< 1 s');
  assert.equal(text.seconds(31_999), '31 s');
  assert.equal(text.precise(0.42), '0.4 ms');
  assert.equal(text.precise(1250), '1.3 s');
});

test('places in a queue', () => {
  const places = [1, 2, 3, 4, 11, 12, 13, 21, 111, 1002];
  assert.deepEqual(places.map(text.ordinal), ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '111th', '1,002nd']);
});

test('a contender says what it is as on the command line', () => {
  assert.equal(text.identity({ host: 'web-2', pid: '4711', label: 'nightly' }), 'web-2, pid 4711, nightly');
  assert.equal(text.identity({ host: '', text: '10.0.0.7' }), '10.0.0.7');
  assert.equal(text.identity({ host: '', text: 'host-1\nturnstile-data=10.0.0.7:8080' }), 'host-1');
  assert.equal(text.identity({ host: '', text: '' }), 'another client');
});

test('an address has what is not empty, escaped', () => {
  assert.equal(links.link_to('/', { prefix: '', offset: 0 }), '/');
  assert.equal(links.link_to_lock({ path: '/a&kind=x', kind: 'mutex' }), '/lock?path=%2Fa%26kind%3Dx&kind=mutex');
  assert.equal(links.number_in(new URLSearchParams('offset=50'), 'offset'), 50);
  assert.equal(links.number_in(new URLSearchParams('offset=-5'), 'offset'), 0);
  assert.equal(links.number_in(new URLSearchParams('offset=1e9'), 'offset'), 0);
});

const edge = (text_of) => ({ from: text_of[0], to: text_of[1] });

test('waiters stand left of what they wait for', () => {
  const edges = ['ab', 'bc', 'xc'].map(edge);
  const { places, columns } = layout(['a', 'b', 'c', 'x'], edges);
  assert.equal(columns, 3);
  for (const { from, to } of edges) assert.ok(places.get(from).column < places.get(to).column);
  assert.equal(places.get('x').column, 1, 'right before what it waits for');
});

test('a cycle has one edge that leads back', () => {
  const edges = ['ab', 'bc', 'ca'].map(edge);
  const { places } = layout(['a', 'b', 'c'], edges);
  const back = edges.filter(({ from, to }) => places.get(to).column <= places.get(from).column);
  assert.deepEqual(back, [edge('ca')]);
});

test('an edge over several columns has a place in each between', () => {
  const long = edge('ac');
  const edges = [...['ab', 'bc'].map(edge), long];
  const { places, routes } = layout(['a', 'b', 'c'], edges);
  assert.equal(routes.get(long).length, 1);
  const [passage] = routes.get(long);
  assert.equal(passage.column, places.get('b').column);
  assert.notEqual(passage.row, places.get('b').row);
});

test('no two nodes have one place', () => {
  const ids = [...'abcdefghij'];
  const edges = ['ab', 'ac', 'ad', 'be', 'ce', 'de', 'ea', 'fg', 'gf', 'hj', 'ij', 'aj'].map(edge);
  const { places } = layout(ids, edges);
  const taken = new Set([...places.values()].map(({ column, row }) => `${column} ${row}`));
  assert.equal(taken.size, ids.length);
});

test('parts without an edge between them are apart', () => {
  const found = components([...'abcde'], ['ab', 'cd', 'dc'].map(edge));
  assert.deepEqual(found.map(({ nodes }) => nodes.join('')), ['ab', 'cd', 'e']);
  assert.deepEqual(found.map(({ edges }) => edges.length), [1, 2, 0]);
});

const wait = (names, path, cyclic = false) => ({ ...edge(names), path, cyclic });

test('a long queue is one node', () => {
  const { edges, folded } = fold(['bh', 'cb', 'dc', 'ed'].map((names) => wait(names, '/p')));
  assert.deepEqual(edges, [wait('bh', '/p')]);
  assert.deepEqual([...folded], [['b', [...'bcde']]]);
});

test('a queue stays where another one meets it, on another path, and in a cycle', () => {
  const meeting = ['bh', 'cb', 'dc', 'ed', 'xc'].map((names) => wait(names, '/p'));
  assert.deepEqual(fold(meeting).edges, meeting, 'two wait for c');
  const paths = [wait('bh', '/p'), wait('cb', '/q'), wait('dc', '/p'), wait('ed', '/q')];
  assert.deepEqual(fold(paths).edges, paths);
  const cycle = ['ab', 'bc', 'cd', 'da'].map((names) => wait(names, '/p', true));
  assert.deepEqual(fold(cycle).edges, cycle);
  const behind = [...cycle, ...['xa', 'yx', 'zy'].map((names) => wait(names, '/p'))];
  assert.deepEqual(fold(behind).edges, [...cycle, wait('xa', '/p')]);
});

test('a cycle becomes free lock by lock, the first by a person', () => {
  const edges = [wait('ab', '/x'), wait('bc', '/y'), wait('ca', '/z')];
  const order = release_order(['a', 'b', 'c'], edges).map(({ path, holder, waiter }) => `${path} ${holder} ${waiter}`);
  assert.deepEqual(order, ['/x b a', '/z a c', '/y c b']);
});

test('contenders of one queue wait at one lock, which the last of them holds', () => {
  const edges = [wait('ab', '/x'), wait('bc', '/x'), wait('ca', '/y')];
  for (const cycle of [['a', 'b', 'c'], ['b', 'c', 'a'], ['c', 'a', 'b']]) {
    const order = release_order(cycle, edges).map(({ path, holder, waiter }) => `${path} ${holder} ${waiter}`).sort();
    assert.deepEqual(order, ['/x c a', '/y a c']);
  }
  assert.equal(release_order(['a', 'b'], [wait('ab', '/x'), wait('ba', '/x')]).length, 1, 'both upgrade');
});
