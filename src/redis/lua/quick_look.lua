-- SPDX-License-Identifier: Apache-2.0
-- Sets `same` to true if the server's replication id has not changed since the last check (fields "i" and "r"). The
-- tree's history then continues (history.lua).
local same = looked and looked + 0 <= now and now < looked + 1000
if not same and id and string.find(call('INFO', 'replication'), 'master_replid:' .. id .. '\r', 1, true) then
  same = type(redis.pcall('HSET', nodes, 'i', now)) == 'number'
end
