// SPDX-License-Identifier: Apache-2.0
// Texts as the page shows them. Names of contenders may be hostile: they may contain control characters, or marks that
// change the direction of writing, so that one name looks like another.

const k_hidden = new RegExp(
  '[' +
    '\\u0000-\\u001f\\u007f-\\u009f' + // control characters
    '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\ufe00-\\ufe0f\\uffa0' + // invisible
    '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff' + // of no width, and of direction
    '\\u2028\\u2029\\ufff9-\\ufffb' + // breaks and annotations
    '\\u{e0000}-\\u{e0fff}' + // tags
    '\\ud800-\\udfff' + // halves of surrogate pairs
    ']',
  'gu',
);

function escape_of(character) {
  const point = character.codePointAt(0);
  if (point < 0x100) return '\\x' + point.toString(16).padStart(2, '0');
  return '\\u' + (point > 0xffff ? '{' + point.toString(16) + '}' : point.toString(16).padStart(4, '0'));
}

// Returns the text with escapes for invisible characters, for titles and labels, which cannot contain HTML elements.
export function plain(text) {
  return String(text ?? '').replace(k_hidden, escape_of);
}

// Returns the text of plain() as pieces: [{text, escape: bool}].
export function pieces(text) {
  const whole = String(text ?? '');
  const found = [];
  let end = 0;
  for (const match of whole.matchAll(k_hidden)) {
    if (match.index > end) found.push({ text: whole.slice(end, match.index), escape: false });
    found.push({ text: escape_of(match[0]), escape: true });
    end = match.index + match[0].length;
  }
  if (end < whole.length) found.push({ text: whole.slice(end), escape: false });
  return found;
}

// Returns a contender's host. Without a host, returns the first line of the contender's text, because the second line
// of an election's participant is data.
export function host_or_text(contender) {
  return contender.host || (contender.text ?? '').split('\n', 1)[0];
}

// Returns a contender's description of itself, as the program `turnstile` prints it: "web-2, pid 4711, nightly".
export function identity(contender) {
  if (!contender.host) return host_or_text(contender) || 'another client';
  let text = contender.host;
  if (contender.pid) text += `, pid ${contender.pid}`;
  if (contender.label) text += `, ${contender.label}`;
  return text;
}

const k_units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

// "2 d 3 h", "4 min 10 s", "12 s", "350 ms": two units at most.
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  const length = Math.max(0, Math.round(ms));
  if (length < 1000) return length === 0 ? '0 s' : `${length} ms`;
  for (let i = 0; i < k_units.length; ++i) {
    const [unit, name] = k_units[i];
    if (length < unit) continue;
    const text = `${Math.floor(length / unit)} ${name}`;
    const next = k_units[i + 1];
    const rest = next ? Math.floor((length % unit) / next[0]) : 0;
    return rest > 0 ? `${text} ${rest} ${next[1]}` : text;
  }
  return '0 s';
}

// Returns a duration without milliseconds, for a text that changes each second.
export function seconds(ms) {
  if (ms === null || ms === undefined) return '–';
  return ms < 1000 ? '< 1 s' : duration(Math.floor(ms / 1000) * 1000);
}

// A short duration with two figures or more: "0.4 ms", "17 ms", "1.3 s".
export function precise(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms >= 60_000) return duration(ms);
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}

export function count(number) {
  return Number(number ?? 0).toLocaleString('en-US');
}

export function many(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

export function ordinal(place) {
  const tens = place % 100;
  const end = tens > 10 && tens < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][place % 10] ?? 'th';
  return `${count(place)}${end}`;
}

// "04:38:36 UTC"
export function clock(time) {
  return time ? `${String(time).slice(11, 19)} UTC` : '–';
}

// "2026-11-21 04:38:36 UTC"
export function date_and_clock(time) {
  return time ? `${String(time).slice(0, 10)} ${clock(time)}` : '–';
}

// Makes a sentence of a server's message, which begins with a small letter and has no full stop.
export function sentence(message) {
  const text = plain(message);
  return text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}` : '';
}

export function kind_text(lock) {
  const name = plain(lock.kind).replaceAll('_', ' ');
  return lock.permits ? `${name} of ${count(lock.permits)}` : name;
}
