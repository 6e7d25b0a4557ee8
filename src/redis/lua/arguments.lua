-- SPDX-License-Identifier: Apache-2.0
-- The keys and the common first arguments of every script. `mark`: the session's entry at the server (attach.lua).
-- `timeout`: the session timeout in microseconds. `me`: the caller's identity, empty without credentials. `now`: the
-- server's clock in microseconds.
local nodes, deadlines = KEYS[1], KEYS[2]
local prefix, sid, mark, timeout, me = unpack(ARGV, 1, 5)
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
