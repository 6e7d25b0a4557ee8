# SPDX-License-Identifier: Apache-2.0
"""The peers of the benchmarks: what they need, and how they are built and started."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

JARS = Path("/usr/share/java")
GO_SOURCES = Path("/usr/share/gocode")
CURATOR_JARS = ("zookeeper", "zookeeper-jute", "slf4j-nop", "curator-client", "curator-framework",
                "curator-recipes", "guava")
HERE = Path(__file__).resolve().parent.parent
BARE = "bare"
BARE_NO_LIST = "bare-no-list"  # takes the same lock again and again
BARE_ASYNC = "bare-async"  # takes many locks at a time, in callbacks
OURS = "turnstile"
SHARED = "turnstile-shared"  # retained locks and cohorts
IN_PROCESS = "in-process"
ON_TLS = "turnstile-tls"
ON_REDIS = "turnstile-redis"
REDIS = "redis"
ALWAYS = (BARE, BARE_NO_LIST, BARE_ASYNC, OURS, SHARED, ON_TLS, IN_PROCESS)  # these need no more than the library


class MissingPackage(Exception):
    """Error: a peer cannot be built or started. The message names a remedy."""


@dataclass
class Kind:
    name: str
    label: str  # name in tables
    backend: str  # kind of server: zookeeper, zookeeper-tls, etcd, redis, none, ...
    needs: dict  # required file -> Debian package that contains it
    build: Callable = field(default=lambda folder: None)
    command: Callable = None  # function (folder, address) -> command line
    package: str = ""  # package whose version the table names if the client reports no version
    ours: str = ""  # in the comparison of servers: the library's peer in the same group
    lease: str = ""  # argument that sets how long a hold outlives its process, with {} for the ms
    only: str = ""  # the only measure in which this peer takes part; empty: each measure whose commands it has
    asks: tuple = ()  # Redis: the commands that this client itself sends

    def check(self):
        missing = {package: path for path, package in self.needs.items() if not Path(path).exists()}
        if missing:
            what = ", ".join(f"{package} (no {path})" for package, path in sorted(missing.items()))
            raise MissingPackage(f"peer '{self.name}' needs the Debian package {what}; "
                                 f"install it, or leave the peer out with --without {self.name}")


def package_version(package):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                           capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def _class_path(folder):
    return ":".join([str(folder / "classes"), *(str(JARS / f"{name}.jar") for name in CURATOR_JARS)])


def _older(target, sources):
    return not target.exists() or any(source.stat().st_mtime > target.stat().st_mtime for source in sources)


def _build_curator(folder):
    sources = [HERE / "peers" / f"{name}.java" for name in ("CuratorPeer", "CuratorCrowd", "CuratorKinds")]
    target = folder / "classes" / "CuratorPeer.class"
    if _older(target, sources):
        subprocess.run(["javac", "-Xlint:all,-path,-classfile", "-Werror", "-proc:none", "-implicit:none",
                        "-encoding", "UTF-8", "-d", str(folder / "classes"), "-cp", _class_path(folder),
                        *map(str, sources)], check=True)


def _curator_command(folder, address):
    version = package_version("libcurator-recipes-java")
    return ["java", f"-Dcurator.version={version}", "-cp", _class_path(folder), "CuratorPeer", address]


def _go_builder(name):
    def build(folder):
        sources = HERE / "peers" / "go"
        target = folder / name
        if not _older(target, sources.glob("*/*.go")):
            return
        # Debian's Go libraries are in a GOPATH. The benchmarks' Go code is in a second GOPATH folder.
        workspace = folder / "go"
        (workspace / "src").mkdir(parents=True, exist_ok=True)
        link = workspace / "src" / "turnstile"
        if link.is_symlink():
            link.unlink()
        link.symlink_to(sources)
        environment = {**os.environ, "GO111MODULE": "off", "GOFLAGS": "",
                       "GOPATH": f"{workspace}:{GO_SOURCES}"}
        subprocess.run(["go", "build", "-o", str(target), f"turnstile/{name}"], env=environment,
                       check=True)
    return build


def _program(name):
    return lambda folder, address: [str(folder / name), address]


ALL = [
    Kind(BARE, "bare C client", "zookeeper", {}, command=_program("bare")),
    Kind(BARE_NO_LIST, "bare C client, no list", "zookeeper", {},
         command=lambda folder, address: [str(folder / BARE), address, "no-list"]),
    Kind(BARE_ASYNC, "bare C client, asynchronous", "zookeeper", {}, command=_program("bare_async")),
    Kind(OURS, "turnstile::mutex", "zookeeper", {}, command=_program("turnstile")),
    Kind(SHARED, "turnstile::mutex, retained, cohort(64)", "zookeeper", {},
         command=lambda folder, address: [str(folder / OURS), address, "shared"]),
    Kind(ON_TLS, "turnstile::mutex over TLS", "zookeeper-tls", {}, command=_program("turnstile"), only="tls"),
    Kind("curator", "Curator InterProcessMutex", "zookeeper",
         {"/usr/bin/javac": "default-jdk-headless",
          str(JARS / "curator-recipes.jar"): "libcurator-recipes-java",
          str(JARS / "slf4j-nop.jar"): "libslf4j-java", str(JARS / "guava.jar"): "libguava-java",
          str(JARS / "zookeeper.jar"): "libzookeeper-java"},
         _build_curator, _curator_command),
    Kind("go-zookeeper", "go-zookeeper Lock", "zookeeper",
         {"/usr/bin/go": "golang-go",
          str(GO_SOURCES / "src/github.com/samuel/go-zookeeper"): "golang-github-samuel-go-zookeeper-dev"},
         _go_builder("gozookeeper"),
         lambda folder, address: [str(folder / "gozookeeper"),
                                  package_version("golang-github-samuel-go-zookeeper-dev"), address]),
    Kind("kazoo", "kazoo Lock", "zookeeper",
         {"/usr/lib/python3/dist-packages/kazoo": "python3-kazoo"},
         command=lambda folder, address: ["/usr/bin/python3", str(HERE / "peers" / "kazoo_peer.py"), address]),
    Kind("etcd", "etcd concurrency.Mutex", "etcd",
         {"/usr/bin/etcd": "etcd-server", "/usr/bin/go": "golang-go",
          str(GO_SOURCES / "src/go.etcd.io/etcd/clientv3/concurrency"): "golang-etcd-server-dev"},
         _go_builder("etcd"), _program("etcd")),
    Kind(IN_PROCESS, "in-process queue, no server", "none", {}, command=lambda folder, _: [str(folder / "in_process")]),
    Kind(REDIS, "Redis SET NX PX", "redis",
         {"/usr/bin/redis-server": "redis-server", "/usr/include/hiredis/hiredis.h": "libhiredis-dev"},
         command=_program("redis")),
    Kind(ON_REDIS, "turnstile::mutex on Redis", "redis",
         {"/usr/bin/redis-server": "redis-server", "/usr/include/hiredis/hiredis.h": "libhiredis-dev"},
         command=lambda folder, address: [str(folder / OURS), f"redis://{address}"]),
]
