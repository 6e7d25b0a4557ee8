-- SPDX-License-Identifier: Apache-2.0
-- Begins another history of the tree when the server has another replication id. A server gets another id when it
-- restarts or replaces another server, and it may then continue with older data. Field "l" contains the time at which
-- the history began, and the last zxid before. A session ends if it has changed znodes under a later zxid: those
-- changes are lost, and no client would remove a contender's znode that exists again. The id may also change while
-- connections remain. So the script raises the connection of every session and wakes every session. Each session must
-- then attach again at once, and its later changes belong to the new history.
--
-- Field "i" contains the time of the last check of the id. A script that runs within a millisecond after that time need
-- not check the id: a server needs longer to become a replica, to load another server's data, and to become the master
-- again. A deletion goes first, so that a server whose memory is used up allows the other writes (`flush`).
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
