# SPDX-License-Identifier: Apache-2.0
"""Lets promtool check the rules, run their unit tests, and check the text of a program's page."""
import pathlib
import subprocess
import sys

import page
import skipped


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, check=False, **options)
    print(done.stdout + done.stderr)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}")


def main(monitoring, program):
    promtool = skipped.need("promtool")
    run([promtool, "check", "rules", "turnstile.rules.yaml"], cwd=monitoring)
    run([promtool, "test", "rules", "turnstile.rules_test.yaml"], cwd=monitoring)
    with page.service(program, "local:", "/orders/17", 3_600_000) as served:
        text = page.wait_for(served, 'turnstile_lock_held{lock="/orders/{}"} 1\n')
    run([promtool, "check", "metrics"], input=text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
