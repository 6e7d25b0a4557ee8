# SPDX-License-Identifier: Apache-2.0
"""Tests driver/compared.py. Run: python3 -m unittest discover -s bench/tests -t bench"""

import unittest

from driver.compared import KINDS
from driver.kinds import ON_REDIS, REDIS


class Kinds(unittest.TestCase):
    def test_every_peer_takes_part_in_all_measures(self):
        self.assertEqual([kind.name for kind in KINDS if kind.only], [])

    def test_the_commands_of_redis_clients_are_known(self):
        asks = {kind.name: kind.asks for kind in KINDS}
        self.assertEqual(asks[ON_REDIS], ("evalsha",))
        self.assertEqual(asks[REDIS], ("set", "evalsha"))


if __name__ == "__main__":
    unittest.main()
