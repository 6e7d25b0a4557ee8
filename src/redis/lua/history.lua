-- SPDX-License-Identifier: Apache-2.0
-- A server that restarts, or takes over from another one, has another replication id, and may continue from older
-- data. Then a new history of the tree begins: field "l" contains the time, and the last zxid before. A session that
-- changed znodes under a later zxid ends: its client knows changes that are lost, and no client would remove a
-- contender that exists again. The id also changes under connections that remain. So every session must attach again
-- (its connection is raised), and is woken, so that it does so at once: its changes then belong to the new history.
--
-- Field "i" contains the time of the last check of the id. A script within a millisecond of it need not check: to
-- become a replica, load another server's data and become the master again takes longer. A deletion goes first (OOM,
-- `flush`).
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
