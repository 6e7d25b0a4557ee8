-- SPDX-License-Identifier: Apache-2.0
-- The keys and the first arguments of every script, and the server's clock in microseconds. `mark`: the session's text
-- at the server. `timeout`: the session's timeout in microseconds. `me`: the caller's identity, empty without
-- credentials.
local nodes, deadlines = KEYS[1], KEYS[2]
local prefix, sid, mark, timeout, me = unpack(ARGV, 1, 5)
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
