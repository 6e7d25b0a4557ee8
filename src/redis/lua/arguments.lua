-- SPDX-License-Identifier: Apache-2.0
-- For every script: its keys, its first arguments, and the server's clock in microseconds. `mark`: the session's text
-- at the server; `timeout`: its timeout in microseconds; `me`: the caller's identity, empty without credentials.
local nodes, deadlines = KEYS[1], KEYS[2]
local prefix, sid, mark, timeout, me = unpack(ARGV, 1, 5)
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
