-- SPDX-License-Identifier: Apache-2.0
-- Ends the expired sessions and removes their znodes. All removals of one session have the same zxid. If an operator
-- has revoked a right, the server may abort the script in the middle, and does not roll back its writes. So the last
-- writes delete the data that show that the session must end. After an abort, the next script ends the session again.
local function parent_of(path)
  local at = string.match(path, '^.*()/')
  return at == 1 and '/' or string.sub(path, 1, at - 1)
end
local function name_of(path) return string.match(path, '[^/]*$') end
local function dropped(path, p, parent, z)
  call('SREM', prefix .. ':c:' .. parent, name_of(path))
  if band(p.fl, flag.container) ~= 0 and p.cnt == 0 and band(p.fl, flag.emptied) == 0 then
    call('ZADD', prefix .. ':r', 'NX', now, parent)
  end
end
local function tell_removal(path, who, parent, parents_who)
  local told = fire('w' .. path, event.deleted, path, who)
  fire('k' .. path, event.deleted, path, who, told)
  fire('k' .. parent, event.children, parent, parents_who)
end
local function drop_watches(id)
  local watches = call('SMEMBERS', prefix .. ':v:' .. id)
  for i = 1, #watches do unwatch(id, watches[i]) end
end
local function end_session(id)
  local z = next_zxid()
  drop_watches(id)
  local owned = call('SMEMBERS', prefix .. ':e:' .. id)
  for i = 1, #owned do
    local path = owned[i]
    local n = node(path)
    if n then
      local parent = parent_of(path)
      local p = node(parent)
      p.cnt = p.cnt - 1
      p.pz = math.max(p.pz, z)
      records[path] = false
      changed[path] = true
      changed[parent] = true
      dropped(path, p, parent, z)
      tell_removal(path, n.who, parent, p.who)
    end
  end
  store()
  put('s' .. id, false)
  put('q' .. id, false)
  flush()
  call('DEL', prefix .. ':v:' .. id, prefix .. ':e:' .. id)
  call('ZREM', deadlines, id)
end

-- Lowers the field "d" to `at` if "d" is later. No session expires before the instant in "d", so a script that gives a
-- session an earlier deadline must call this function. Only come_back() raises "d", if the server has memory for that.
local function none_before(at)
  local d = get('d')
  if d and tonumber(d) <= at then return end
  call('HSET', nodes, 'd', at)
  known.d = at
end
local function come_back()
  while true do
    local r = call('ZRANGE', deadlines, 0, 1, 'WITHSCORES')
    if not r[1] then return -1 end
    if tonumber(r[2]) > now then
      if get('d') ~= r[2] and type(redis.pcall('HSET', nodes, 'd', r[2])) == 'number' then known.d = r[2] end
      local due = r[2]
      if r[1] == sid then due = r[4] end
      return due and due - now or -1
    end
    end_session(r[1])
  end
end
