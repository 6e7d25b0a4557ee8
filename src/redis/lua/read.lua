-- SPDX-License-Identifier: Apache-2.0
-- Executes a read. Kinds: d data, e existence, c children. `watched`: '1' to set a watch.
-- include "arguments.lua"
local kind, path, watched = unpack(ARGV, 6, 8)
local watchers_field = (kind == 'c' and 'k' or 'w') .. path
-- include "quick.lua"
-- include "quick_read.lua"
-- include "tree.lua"
load('s' .. sid, 'q' .. sid, 'z', 'd', path, watchers_field)
-- include "session.lua"
touch()
take_queue()
local z = get('z') or '0'
local r = node(path)
if not r and kind ~= 'e' then return {code.no_node, z, back, events()} end
if r and kind ~= 'e' and r.who ~= '' and r.who ~= me then return {code.no_auth, z, back, events()} end
if watched == '1' then
  local list = get(watchers_field) or ''
  if not string.find(' ' .. list, ' ' .. sid .. ' ', 1, true) then
    call('HSET', nodes, watchers_field, list .. sid .. ' ')
    call('SADD', prefix .. ':v:' .. sid, watchers_field)
  end
end
if not r then return {code.no_node, z, back, events()} end
if kind == 'd' then return {code.ok, z, back, events(), head(r), #r.data, r.data} end
if kind == 'e' then return {code.ok, z, back, events(), head(r), #r.data} end
return {code.ok, z, back, events(), head(r), #r.data, r.cnt > 0 and call('SMEMBERS', prefix .. ':c:' .. path) or {}}
