// SPDX-License-Identifier: Apache-2.0
// Runs headless Chromium for the tests, with the checks that every test makes on every page.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// A limit for the slowest machine. Only a test that fails waits this long.
const k_limit_ms = 60_000;
const k_skipped = 77; // makes ctest count the test as skipped (SKIP_RETURN_CODE)

const programs = [process.env.TURNSTILE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
// scripts/test runs npm install in build/page, with the package.json of this folder.
const require = createRequire(new URL('../../../build/page/', import.meta.url));

function needed() {
  const executablePath = programs.find((file) => file && existsSync(file));
  try {
    return { executablePath, axe: readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'), ...require('playwright-core') };
  } catch (problem) {
    return { executablePath: null, problem };
  }
}

const { executablePath, chromium, axe, problem } = needed();
if (!executablePath) {
  console.log(problem ? `left out: ${problem.message}` : 'left out: there is no chromium');
  process.exit(k_skipped);
}

// A page, and the errors on it. Text on the console counts as an error, because the browser reports violations of the
// page's security policy there.
export class tab {
  constructor(page, url) {
    Object.assign(this, { page, url, errors: [], requests: [] });
    page.setDefaultTimeout(k_limit_ms);
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && !message.text().startsWith('Failed to load resource') && this.errors.push(message.text()));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  // Opens an address and waits until the view has its heading.
  async open(path) {
    await this.page.goto(this.url + path);
    await this.page.locator('h1').waitFor();
    return this.page;
  }

  async is_live() {
    await this.page.locator('.state', { hasText: 'Live' }).waitFor();
  }

  // Waits until the function `holds` returns true in the page.
  eventually(holds, argument) {
    return this.page.waitForFunction(holds, argument, { timeout: k_limit_ms });
  }

  async shows(text, where = 'main') {
    await this.page.locator(where).getByText(text).first().waitFor();
  }

  async check_accessibility(what) {
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
    assert.deepEqual(found, [], what);
  }

  check_clean() {
    assert.deepEqual(this.errors, []);
    const foreign = this.requests.filter((address) => !address.startsWith(this.url));
    assert.deepEqual(foreign, [], 'the page asks nothing of others');
  }
}

export class browser {
  static async start() {
    const running = new browser();
    running.chromium = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-color-profile=srgb'] });
    return running;
  }

  async tab(url, { width = 1280, height = 860, ...more } = {}) {
    const context = await this.chromium.newContext({ viewport: { width, height }, locale: 'en-US', timezoneId: 'UTC', ...more });
    return new tab(await context.newPage(), url);
  }

  close() {
    return this.chromium.close();
  }
}
