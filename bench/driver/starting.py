# SPDX-License-Identifier: Apache-2.0
"""Starts the server that a peer needs."""

from pathlib import Path

from .backends import Etcd, Redis, SecuredZookeeper, Zookeeper
from .databases import Files, Mariadb, Postgresql


def start(backend, folder, build, count, on_disk):
    """`count` is the number of ZooKeeper servers or etcd members. The databases always sync their commits."""
    folder = Path(folder) / backend
    folder.mkdir()
    if backend == "zookeeper":
        return Zookeeper(folder, build, count, on_disk)
    if backend == "zookeeper-tls":
        return SecuredZookeeper(folder, build, count, on_disk)
    if backend == "etcd":
        return Etcd(folder, count)
    if backend == "redis":
        return Redis(folder, on_disk)
    return {"postgresql": Postgresql, "mariadb": Mariadb, "files": Files}[backend](folder)
