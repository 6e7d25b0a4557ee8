-- SPDX-License-Identifier: Apache-2.0
-- A server that begins anew, or takes over from another one, has another replication id, and may go on from older data.
-- Then a new history of the tree begins: field "l" has when, and with which zxid as the last one. A session that
-- changed znodes under a later one ends: what its client was told is not so, and no client would remove a contender
-- that is there again. The id also changes under connections that stay. So every session is sent to attach anew (its
-- connection is raised), and woken, so that it does so at once: what it changes then belongs to the new history.
--
-- Field "i" has when the id was last looked at. A script within a millisecond of it need not look: to become a replica,
-- load another server's data and become the master again takes longer. What goes first is a deletion (OOM, `flush`).
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
