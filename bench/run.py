#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks. scripts/bench installs and builds the programs that this script needs, and starts it."""

import argparse
import dataclasses
import importlib
import json
import shlex
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from driver import bench as running  # noqa: E402  the path is set first
from driver import compared, kinds, machine, servers_page, table  # noqa: E402
from driver.backends import BackendError  # noqa: E402
from driver.peer import PeerError  # noqa: E402
from driver.result import Result  # noqa: E402

# Names of measures, in the order in which the page of results shows them. A measure is a module in measures/ with a
# function measure(bench) -> [Result].
ALL_MEASURES = ["uncontended", "instructions", "contended", "drain", "threads", "several", "retained", "requests",
                "saturation", "tls", "pending", "idle", "kinds", "held", "growth", "burst"]
SERVERS_MEASURES = ["servers_uncontended", "servers_contended", "servers_queue", "servers_rate", "servers_crash",
                    "servers_counts"]
NOT_MEASURED = "{} was not measured"  # name of the fact that has the reason
ROOT = Path(__file__).resolve().parent.parent


def parse(arguments):
    names = sorted({kind.name for kind in kinds.ALL + compared.KINDS if kind.name not in kinds.ALWAYS})
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures Turnstile beside its peers, all in one run and in turns, and writes a page with "
                    "tables and plots.")
    parser.add_argument("--quick", action="store_true",
                        help="test that all measures work: few rounds, short queues, under three minutes")
    parser.add_argument("--compare-servers", action="store_true",
                        help="measure Turnstile on each kind of server beside the usual locks there, in place of the "
                             "measures on ZooKeeper; writes comparison.md; about ten minutes")
    parser.add_argument("--measure", action="append", choices=ALL_MEASURES + SERVERS_MEASURES, metavar="NAME",
                        help=f"run only this measure; may be repeated; one of: {', '.join(ALL_MEASURES)}; with "
                             f"--compare-servers: {', '.join(SERVERS_MEASURES)}")
    parser.add_argument("--again", action="store_true",
                        help="with --measure: replace these measures of the page, and keep the page's other measures")
    parser.add_argument("--without", action="append", default=[], choices=names, metavar="PEER",
                        help=f"leave this peer out; may be repeated; one of: {', '.join(names)}")
    parser.add_argument("--servers", type=int, choices=(1, 3), default=1,
                        help="number of ZooKeeper servers, and of etcd members; default 1")
    parser.add_argument("--disk", type=Path, metavar="FOLDER",
                        help="keep the servers' data in this folder, each write synced; default: in memory, "
                             "on /dev/shm; with --compare-servers: the disk beside the memory, default /var/tmp")
    parser.add_argument("--output", type=Path, metavar="FOLDER",
                        help="folder for the page and its data; default: docs/reference, with --quick build/bench")
    parser.add_argument("--curator-waiters", type=int, metavar="COUNT",
                        help="number of waiters in the longest queue that Curator drains; default 3000")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release/bench", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.disk and not given.disk.is_dir():
        parser.error(f"--disk: '{given.disk}' is not a folder")
    if given.curator_waiters is not None and given.curator_waiters < 1:
        parser.error(f"--curator-waiters: {given.curator_waiters} is not positive")
    if given.again and not given.measure:
        parser.error("--again needs --measure")
    wrong = set(given.measure or []) - set(SERVERS_MEASURES if given.compare_servers else ALL_MEASURES)
    if wrong:
        parser.error(f"--measure: {wrong.pop()} is {'not ' if given.compare_servers else ''}measured by "
                     "--compare-servers")
    return given


def chosen_peers(all_of_them, without, build):
    """Returns the peers, after it has checked and built them. Raises MissingPackage."""
    peers = [kind for kind in all_of_them if kind.name not in without]
    for kind in peers:
        kind.check()
    for kind in peers:
        kind.build(build)
    return peers


def settings_of(given):
    if given.compare_servers:
        settings = running.SERVERS_QUICK if given.quick else running.SERVERS
    else:
        settings = running.QUICK if given.quick else running.FULL
    if given.curator_waiters is not None:
        settings = dataclasses.replace(settings, curator_waiters=given.curator_waiters)
    return settings


def run(given, peers, progress):
    """Runs the measures. Returns (results, labels, versions, peers that did not start)."""
    results = []
    missed = {}
    if given.compare_servers:
        folders = {"folder": "/dev/shm", "on_disk": False, "disk": given.disk or "/var/tmp"}
    else:
        folders = {"folder": given.disk or "/dev/shm", "on_disk": given.disk is not None}
    with running.Bench(settings_of(given), peers, given.build, servers=given.servers, progress=progress,
                       **folders) as bench:
        for name in given.measure or (SERVERS_MEASURES if given.compare_servers else ALL_MEASURES):
            module = importlib.import_module(f"measures.{name}")
            try:
                results += module.measure(bench)
            except (PeerError, BackendError) as failure:
                progress(f"  not measured: {failure}")
                missed[NOT_MEASURED.format(name)] = str(failure)
        missing = missed | {f"{label} did not start": why for label, why in bench.not_started.items()}
        return results, bench.labels, bench.versions, missing


def with_earlier(data, given, results, facts):
    """Returns (results, facts) of a page's data, in which the results of this run replace the earlier ones."""
    new = {one.name: one for one in results}
    earlier = [Result.of_data(one) for one in data["results"]]
    all_results = [new.pop(one.name, one) for one in earlier] + list(new.values())
    misses = [NOT_MEASURED.format(name) for name in given.measure]
    kept = {name: text for name, text in data["facts"].items() if name not in misses}
    again = f"{', '.join(given.measure)}: {facts['date']}, commit {facts['commit']}, load {facts['load'].partition(';')[0]}"
    return all_results, {**kept, **{name: facts[name] for name in misses if name in facts},
                         "measured again": "; ".join(filter(None, [kept.get("measured again"), again]))}


def report(given, output, results, labels, facts):
    """Writes the page, the plots and the data of a run."""
    from driver import plots  # imported here, because --help must not need matplotlib
    name = "comparison" if given.compare_servers else "benchmarks"
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    if given.again:
        results, facts = with_earlier(json.loads((folder / "data.json").read_text()), given, results, facts)
    order = [kinds.OURS] + [kind.name for kind in kinds.ALL if kind.name != kinds.OURS]
    drawn = {one.name: f"{name}/{one.name}.svg" for one in results
             if one.page_cases() and plots.draw(one, labels, order, folder / f"{one.name}.svg")}
    page = output / f"{name}.md"
    texts = {"head": servers_page.head(), "aims": servers_page.AIMS} if given.compare_servers else {}
    page.write_text(table.page(results, labels, facts, drawn, kinds.OURS, **texts))
    data = {"facts": facts, "results": [dataclasses.asdict(one) for one in results]}
    (folder / "data.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    if given.compare_servers and output == ROOT / "docs/reference" and not given.measure:
        choosing = ROOT / "docs/start/choosing.md"
        ours = [one for one in compared.ON_EACH if one in labels]
        choosing.write_text(servers_page.with_costs(choosing.read_text(), servers_page.costs(results, labels, ours)))
    return page


def servers_text(given):
    if given.compare_servers:
        return (f"{given.servers} of ZooKeeper, one of each other kind; data in memory on /dev/shm, and then on the disk "
                f"of {given.disk or '/var/tmp'}")
    where = f"on disk, in {given.disk}, each write synced" if given.disk else "in memory, on /dev/shm"
    return f"{given.servers} of ZooKeeper and of etcd, one of Redis; data {where}"


def main(arguments):
    given = parse(arguments)
    # SIGTERM ends the run as an interrupt does, so the run also ends its servers and peers and removes their files.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()

    def progress(text):
        print(f"[{time.monotonic() - started:6.1f} s] {text}", flush=True)

    load, stolen = machine.load(), machine.stolen_seconds()
    try:
        peers = chosen_peers(compared.KINDS if given.compare_servers else kinds.ALL, given.without, given.build)
        results, labels, versions, missing = run(given, peers, progress)
    except (kinds.MissingPackage, BackendError) as failure:
        print(f"scripts/bench: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("scripts/bench: interrupted, nothing written", file=sys.stderr)
        return 130
    facts = {"command": f"`scripts/bench {shlex.join(arguments)}`".replace(" `", "`"),
             "date": time.strftime("%Y-%m-%d"),
             "duration": f"{(time.monotonic() - started) / 60:.1f} minutes; the hypervisor took "
                     f"{machine.stolen_seconds() - stolen:.1f} s of processor time",
             "load": machine.load_text(load),
             "servers": servers_text(given),
             "peers left out": ", ".join(given.without) or "nothing",
             **missing,
             **machine.facts(),
             **{f"version of {name}": text for name, text in sorted(versions.items())}}
    output = given.output or (ROOT / "build/bench" if given.quick else ROOT / "docs/reference")
    page = report(given, output, results, labels, facts)
    print(page.read_text())
    print(f"written to {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
