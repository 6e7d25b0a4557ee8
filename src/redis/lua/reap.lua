-- SPDX-License-Identifier: Apache-2.0
-- Removes container znodes that became empty at least `emptied_for` microseconds ago and are still empty.
-- include "arguments.lua"
local emptied_for = ARGV[6]
-- include "tree.lua"
-- include "session.lua"
touch()
take_queue()
local due = call('ZRANGEBYSCORE', prefix .. ':r', '-inf', now - emptied_for, 'LIMIT', 0, 100)
for i = 1, #due do
  local path = due[i]
  call('ZREM', prefix .. ':r', path)
  local n = node(path)
  if n and n.cnt > 0 and band(n.fl, flag.emptied) ~= 0 then
    n.fl = n.fl - flag.emptied
    changed[path] = true
    store()
  end
  if n and band(n.fl, flag.container) ~= 0 and n.cnt == 0 and n.cre ~= 0 then
    local parent = parent_of(path)
    local p = node(parent)
    local z = next_zxid()
    p.cnt = p.cnt - 1
    p.pz = z
    records[path] = false
    changed[path], changed[parent] = true, true
    store()
    dropped(path, p, parent, z)
    tell_removal(path, n.who, parent, p.who)
  end
end
flush()
return {code.ok, get('z') or '0', back, events()}
