// SPDX-License-Identifier: Apache-2.0
// Starts `turnstile` in processes: private servers, the page's server, and contenders.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const k_limit_ms = 120_000;
const k_skipped = 77; // makes ctest count the test as skipped (SKIP_RETURN_CODE)

const turnstile = process.env.TURNSTILE_PROGRAM;
if (!turnstile || !existsSync(turnstile)) {
  console.log('left out: TURNSTILE_PROGRAM names no program');
  process.exit(k_skipped);
}

const running = new Set();

export class child {
  constructor(command, environment = {}) {
    this.output = '';
    this.listeners = new Set();
    this.process = spawn(command[0], command.slice(1), { env: { PATH: process.env.PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(this);
    this.ended = new Promise((done) => {
      const end = (code, signal) => {
        running.delete(this);
        this.over = true;
        done({ code, signal });
        this.listeners.forEach((look) => look());
      };
      this.process.once('close', end);
      this.process.once('error', (problem) => {
        this.output += problem.message;
        end(127, null);
      });
    });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream.on('data', (data) => {
        this.output += data;
        this.listeners.forEach((look) => look());
      });
  }

  // Waits until the output matches the pattern. Returns the match.
  says(pattern) {
    return new Promise((done, failed) => {
      const give_up = AbortSignal.timeout(k_limit_ms);
      const finish = (settle, value) => {
        this.listeners.delete(look);
        give_up.onabort = null;
        settle(value);
      };
      const look = () => {
        const match = pattern.exec(this.output);
        if (match) finish(done, match);
        else if (this.over || give_up.aborted) finish(failed, new assert.AssertionError({ message: `${pattern} is not in: ${this.output}` }));
      };
      give_up.onabort = look;
      this.listeners.add(look);
      look();
    });
  }

  signal(name) {
    this.process.kill(name);
  }

  end(name = 'SIGTERM') {
    this.process.kill(name);
    return this.ended;
  }
}

// Ends the processes in reverse order of their start, so that the servers end last.
export async function end_all() {
  for (const each of [...running].reverse()) await each.end(each.is_servers ? 'SIGINT' : 'SIGTERM');
}

// Starts private ZooKeeper servers. Returns their connect string.
export async function start_servers() {
  const servers = new child([turnstile, 'dev']);
  servers.is_servers = true;
  const [, connect_string] = await servers.says(/^export TURNSTILE_SERVERS=(.*)$/m);
  return { servers, connect_string };
}

// Starts the page's server. Returns {server, url}.
export async function start_page(connect_string, options = [], port = 0) {
  const server = new child([turnstile, 'serve', '--servers', connect_string, '--listen', `127.0.0.1:${port}`, '--refresh', '100ms', ...options]);
  const [, url] = await server.says(/^(http:\/\/\S+?)\/?$/m);
  return { server, url };
}

// Starts a command under a lock. The command prints its label and keeps running.
export function start_holder(connect_string, path, label) {
  return new child([turnstile, 'run', '--servers', connect_string, '--label', label, path, '--', 'sh', '-c', 'echo holds; cat <&"$TURNSTILE_STATUS_FD"']);
}
