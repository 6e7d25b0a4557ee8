// SPDX-License-Identifier: Apache-2.0
// Addresses of views.

// link_to('/lock', {path: '/locks/a'}): "/lock?path=%2Flocks%2Fa". Empty parameters are left out.
export function link_to(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    if (value !== '' && value !== null && value !== undefined && value !== 0) query.set(key, value);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

export const link_to_lock = (lock, more) => link_to('/lock', { path: lock.path, kind: lock.kind, ...more });

// Returns the number in a parameter of an address; 0 if the parameter is missing or has anything but one to nine
// digits.
export function number_in(query, key) {
  const text = query.get(key) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
