// SPDX-License-Identifier: Apache-2.0
// Builds elements, and updates the page's elements to match a new tree.
//
// A view is a function from data to a tree. `show` changes only the elements that differ. So focus, selection, scroll
// position and opened parts stay as they are, and nothing flickers. All texts become text nodes: the browser never
// parses a text as HTML.
import { pieces } from './text.js';

const k_svg = 'http://www.w3.org/2000/svg';
const k_handlers = ['onclick', 'oninput', 'onchange', 'onsubmit', 'onclose', 'ontoggle'];
// The user changes these properties, so an update does not set them.
const k_of_the_person = new Set(['value', 'open', 'checked']);

function add(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((each) => add(parent, each));
  else parent.append(child instanceof Node ? child : String(child));
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  children.forEach((child) => add(element, child));
  return element;
}

// Makes an HTML element with attributes, handlers and children, for example:
// h('a', {href: '/', onclick: follow}, 'text', [more, elements], null)
export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return build(document.createElementNS(k_svg, tag), attributes, children);
}

// Shows a name that a contender chose. The element isolates the name's direction of writing from the text around it,
// and shows invisible characters as escapes.
export function name(text, attributes) {
  const inside = pieces(text).map((piece) =>
    piece.escape ? h('span', { class: 'escape', title: 'a character that cannot be seen' }, piece.text) : piece.text,
  );
  return h('bdi', attributes, inside);
}

const key_of = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null);

function alike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && key_of(one) === key_of(other);
}

function take_attributes(from, to) {
  for (const { name: attribute } of [...from.attributes])
    if (!to.hasAttribute(attribute) && !k_of_the_person.has(attribute)) from.removeAttribute(attribute);
  for (const { name: attribute, value } of to.attributes)
    if (from.getAttribute(attribute) !== value && !k_of_the_person.has(attribute)) from.setAttribute(attribute, value);
  for (const handler of k_handlers) if (from[handler] !== to[handler]) from[handler] = to[handler];
}

function take_node(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  // An element can update itself, for example a dialog, or a picture under the pointer. If its attribute data-same is
  // equal in the old and the new tree, this function leaves the element unchanged.
  if (from.hasAttribute('data-same') && from.getAttribute('data-same') === to.getAttribute('data-same')) return;
  take_attributes(from, to);
  take_children(from, to);
}

function take_children(from, to) {
  const keyed = new Map();
  for (const child of from.childNodes) {
    const key = key_of(child);
    if (key !== null) keyed.set(key, child);
  }
  let place = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const key = key_of(wanted);
    const present = key === null ? place : keyed.get(key);
    if (present && alike(present, wanted)) {
      if (present === place) place = place.nextSibling;
      else from.insertBefore(present, place);
      take_node(present, wanted);
    } else {
      from.insertBefore(wanted, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

// Makes the element's children equal to `wanted`, an element or a list of elements.
export function show(element, wanted) {
  const tree = document.createDocumentFragment();
  add(tree, wanted);
  take_children(element, tree);
}
