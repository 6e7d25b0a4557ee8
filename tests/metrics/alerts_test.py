# SPDX-License-Identifier: Apache-2.0
"""Tests the shipped alert: a Prometheus server scrapes two services. The holder is stopped, its session expires, and
the alert fires.
"""
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import page
import skipped

CONFIGURATION = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: shop
    static_configs: [{{targets: ["127.0.0.1:{holder}", "127.0.0.1:{waiter}"]}}]
"""


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class monitor:
    def __init__(self, folder, rules, holder, waiter):
        self.port = free_port()
        config = folder / "prometheus.yaml"
        config.write_text(CONFIGURATION.format(rules=rules, holder=holder.port, waiter=waiter.port))
        command = [
            skipped.need("prometheus"),
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{self.port}",
        ]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def ask(self, what):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{what}", timeout=page.LIMIT) as answer:
                return json.load(answer)["data"]
        except (urllib.error.URLError, ConnectionError):
            return {}

    def firing(self):
        return {
            (alert["labels"]["alertname"], alert["labels"].get("reason"))
            for alert in self.ask("alerts").get("alerts", [])
            if alert["state"] == "firing"
        }

    def has(self, query, value):
        found = self.ask(f"query?query={urllib.request.quote(query)}").get("result", [])
        return any(each["value"][1] == value for each in found)


def main(monitoring, program):
    skipped.need("prometheus")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        servers = f"sqlite:{folder / 'locks'}"
        lost = 'turnstile_lock_lost_total{reason="session_lost"}'
        with page.service(program, servers, "/orders/17", 3_600_000) as holder:
            page.wait_for(holder, 'turnstile_lock_held{lock="/orders/{}"} 1\n')
            with page.service(program, servers, "/orders/17", 3_600_000) as waiter:
                page.wait_for(waiter, 'turnstile_lock_waiting{lock="/orders/{}"} 1\n')
                server = monitor(folder, monitoring / "turnstile.rules.yaml", holder, waiter)
                try:
                    # Prometheus sees the increase to 1 only if it has scraped the 0 before.
                    page.eventually(lambda: server.has(f"sum({lost})", "0") and server.has("count(up == 1)", "2"))
                    before = server.firing()
                    holder.process.send_signal(signal.SIGSTOP)
                    page.wait_for(waiter, 'turnstile_lock_held{lock="/orders/{}"} 1\n')
                    holder.process.send_signal(signal.SIGCONT)
                    page.wait_for(holder, 'reason="session_lost"} 1\n')
                    fired = ("TurnstileHoldWasLost", "session_lost")
                    page.eventually(lambda: fired in server.firing())
                    if fired in before:
                        sys.exit(f"{fired} fired before the holder was stopped: {before}")
                finally:
                    server.process.kill()
                    server.process.wait()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
