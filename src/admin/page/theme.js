// SPDX-License-Identifier: Apache-2.0
// The chosen colours, before the first paint: without this a dark page would flash in light.
// A classic script, because a module runs only after the document has been read.
'use strict';
(function () {
  try {
    const theme = window.localStorage.getItem('turnstile.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden: the system's colours stay.
  }
})();
