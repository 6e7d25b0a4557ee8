// SPDX-License-Identifier: Apache-2.0
// Sets the chosen colours before the first paint. Otherwise a dark page would flash in light colours.
// This file is a classic script, because a module runs only after the document has been read.
'use strict';
(function () {
  try {
    const theme = window.localStorage.getItem('turnstile.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // The browser may forbid storage. The page then keeps the system's colours.
  }
})();
