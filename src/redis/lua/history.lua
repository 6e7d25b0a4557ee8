-- SPDX-License-Identifier: Apache-2.0
-- A history is a period in which the tree has lost no data. This file begins another history when the server's
-- replication id has changed. The id changes when a server restarts or replaces another server, and the server may then
-- have older data. For each history, field "l" contains the time at which it began, and the last zxid before it.
--
-- Suppose a client knows a create or a removal from before a history. If its zxid is larger than the last zxid that "l"
-- contains for this history, the server has lost the change. A removed znode may exist again, so the session ends.
--
-- The id may also change while connections remain. So the script changes the connection's number in each session's
-- entry (its mark), and wakes every session. Each session must then attach again, and its later changes belong to the
-- new history.
--
-- Field "i" contains the time of the last check of the id. For a millisecond after a check, scripts need no new check:
-- no server can become a replica, load another server's data and become the master again so fast. The first write of
-- begin_history() is a deletion, after which a server without free memory accepts the other writes (`flush`).
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
