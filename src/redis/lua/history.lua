-- SPDX-License-Identifier: Apache-2.0
-- Begins another history of the tree when the server's replication id has changed. The id changes when a server
-- restarts or replaces another server, and the server may then continue with older data. Field "l" contains the time at
-- which the history began, and the last zxid before it.
--
-- A session ends if its client knows a create or a removal with a later zxid. That change is lost, and a znode that was
-- removed from a queue may exist again. The id may also change while connections remain. So the script makes the
-- connections in all marks invalid and wakes every session. Each session must attach again at once, and its later
-- changes belong to the new history.
--
-- Field "i" contains the time of the last check of the id. Within a millisecond after a check, scripts need no new
-- check: no server can become a replica, load another server's data and become the master again so fast. A deletion
-- goes first, so that a server without free memory accepts the other writes (`flush`).
local function begin_history(id)
  call('HDEL', nodes, 'i')
  local had = get('z') or '0'
  local l = (get('l') or '') .. string.format('%.0f:%s;', next_zxid(), had)
  while select(2, string.gsub(l, ';', ';')) > 32 do l = string.match(l, '^[^;]*;(.*)$') end
  put('l', l)
  put('r', id)
  local all = call('ZRANGE', deadlines, 0, -1)
  for i = 1, #all do
    local is = get('s' .. all[i])
    local at = is and string.find(is, ':', 1, true)
    if at then put('s' .. all[i], string.format('%.0f', string.sub(is, 1, at - 1) + 1) .. string.sub(is, at)) end
    publish[#publish + 1] = all[i]
  end
  flush()
end
local function look_at_server()
  local id = string.match(call('INFO', 'replication'), 'master_replid:([^\r]*)') or ''
  if get('r') ~= id then begin_history(id) end
  redis.pcall('HSET', nodes, 'i', now)
end
