-- SPDX-License-Identifier: Apache-2.0
-- Creates the znode with which a client queues for a lock, and then lists the children of its parent, the folder. If
-- the server has no memory for the create, the script still returns the list.
-- include "arguments.lua"
local count, kind, path, parent, data, version, flags = unpack(ARGV, 6, 12)
local lists = true
-- include "quick.lua"
-- include "quick_create.lua"
-- include "tree.lua"
-- include "load_write.lua"
-- include "session.lua"
-- include "carry_out.lua"
local done, a = pcall(carry_out)
if not done then
  local text = type(a) == 'table' and a.err or tostring(a)
  if not string.find(text, 'OOM command', 1, true) then return {err = text} end
  known, unwritten, dirty, records, changed = {}, {}, false, {}, {}
  touch()
  take_queue()
  a = {code.quota_exceeded, get('z') or '0', back, events()}
end
local r = node(parent)
a[5], a[6] = a[1] == code.ok and a[5] or '', a[6] or ''
if not r then a[7] = code.no_node return a end
if r.who ~= '' and r.who ~= me then a[7] = code.no_auth return a end
a[7], a[8], a[9] = code.ok, head(r), #r.data
a[10] = r.cnt > 0 and call('SMEMBERS', prefix .. ':c:' .. parent) or {}
return a
