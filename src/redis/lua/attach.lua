-- SPDX-License-Identifier: Apache-2.0
-- Attaches a session to a connection. `sid`: the session's id; empty for a new session. `mark`: the session's mark
-- without the connection's number: ":timeout:password:identity". `seen`: the last zxid that the client has seen; a
-- watched znode with a later zxid has changed. `history`: the zxid at which the tree's history began, as the session's
-- last attach read it (field "l", history.lua); empty for a new session. `changed_znodes`: the last zxid of this
-- history at which the client learned of a created or removed znode. Then come the session's watches, each as a kind
-- and a path. Kinds: d an existing znode, e an absent znode, c a znode's children.
--
-- The script first checks the version of the layout, and leaves a tree of another version unchanged. A tree without a
-- version was created before the field "v" existed. The script adds this field only after it has found the session. If
-- the script added the field earlier, a server without free memory would refuse it, and the script could not report to
-- an expired session that it has ended.
--
-- Then the script compares the server's replication id with the stored id; if they differ, another history begins
-- (history.lua). At last the script sets the session's watches again. If a watched znode has changed meanwhile, its
-- watch fires at once.
-- include "arguments.lua"
local seen, history, changed_znodes = unpack(ARGV, 6, 8)
seen, changed_znodes = tonumber(seen), tonumber(changed_znodes)
-- include "tree.lua"
local version = get('v') or get('/') and '1' or layout
if version ~= layout then return {code.other_layout, '0', -1, '', version} end
if not get('/') then
  local function first(path, cnt, fl)
    records[path] = {cz = 0, mz = 0, pz = 0, ct = 0, mt = 0, ow = 0, ver = 0, cre = 0, cnt = cnt, fl = fl,
                     who = '', data = ''}
    changed[path] = true
  end
  first('/', 1, 0)
  first('/zookeeper', 2, 0)
  first('/zookeeper/config', 0, flag.read_only)
  first('/zookeeper/quota', 0, 0)
  put('v', layout)
  store()
  flush()
  call('SADD', prefix .. ':c:/', 'zookeeper')
  call('SADD', prefix .. ':c:/zookeeper', 'config', 'quota')
end
look_at_server()
local function is_forgotten()
  local found = false
  for began, had in string.gmatch(get('l'), '(%d+):(%d+);') do
    if found then
      if tonumber(had) < changed_znodes then return true end
      seen = math.min(seen, tonumber(had))
    end
    found = found or began == history
  end
  return not found
end
local back = come_back()
local connection = 1
if sid == '' then
  sid = string.format('%.0f', next_zxid())
else
  local is = get('s' .. sid)
  local at = is and string.find(is, ':', 1, true)
  if not is or string.sub(is, at) ~= mark then flush() return {code.session_gone} end
  if is_forgotten() then
    end_session(sid)
    return {code.session_gone}
  end
  connection = string.sub(is, 1, at - 1) + 1
  drop_watches(sid)
  call('DEL', prefix .. ':v:' .. sid)
  put('q' .. sid, false)
  mine = {}
end
mark = string.format('%.0f', connection) .. mark
put('s' .. sid, mark)
if not get('v') then put('v', layout) end
local function watch(f)
  put(f, (get(f) or '') .. sid .. ' ')
  call('SADD', prefix .. ':v:' .. sid, f)
end
for i = 9, #ARGV, 2 do
  local kind, path = unpack(ARGV, i, i + 1)
  local n = node(path)
  if kind == 'e' then
    if n then queue(sid, event.created, path) else watch('w' .. path) end
  elseif not n then
    queue(sid, event.deleted, path)
  elseif kind == 'd' then
    if n.mz > seen then queue(sid, event.changed, path) else watch('w' .. path) end
  else
    if n.pz > seen then queue(sid, event.children, path) else watch('k' .. path) end
  end
end
flush()
call('ZADD', deadlines, now + timeout, sid)
none_before(now + timeout)
return {code.ok, get('z') or '0', back, table.concat(mine), sid, mark, string.match(get('l'), '(%d+):%d+;$'),
        string.format('%.0f', now)}
