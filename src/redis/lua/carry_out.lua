-- SPDX-License-Identifier: Apache-2.0
-- Executes the writes of a request. A request with several writes has one part for each write. Kinds of parts: c
-- create, r remove, s set, k check. The script checks all parts before it writes anything. A server without free memory
-- still executes requests that have no create.
local function carry_out()
  local ms = math.floor(now / 1000)
  local z = math.max((tonumber(get('z') or 0)) + 1, now)
  local acts, results, codes, failure, r = {}, {}, {}, code.ok, ''
  local function may(r, write)
    if band(r.fl, flag.read_only) ~= 0 then return not write end
    return r.who == '' or r.who == me
  end
  local function succ(n) if n == 2147483647 then return -2147483648 end return n + 1 end
  local prepare = {}
  function prepare.c(path, parent, data, version, fl)
    if band(fl, flag.refused) ~= 0 then return code.bad_arguments end
    if band(fl, flag.creator_only) ~= 0 and me == '' then return code.invalid_acl end
    local p = node(parent)
    if not p then return code.no_node end
    if not may(p, true) then return code.no_auth end
    if band(fl, flag.sequential) ~= 0 then
      path = path .. string.format('%010d', p.cre)
      load(path, 'w' .. path)
    end
    if band(fl, flag.bad_characters) ~= 0 then return code.bad_arguments end
    if node(path) then return code.node_exists end
    if band(p.fl, flag.ephemeral) ~= 0 then return code.no_children_for_ephemerals end
    p.cre = succ(p.cre)
    p.cnt = p.cnt + 1
    p.pz = z
    local ephemeral = band(fl, flag.ephemeral) ~= 0
    records[path] = {cz = z, mz = z, pz = z, ct = ms, mt = ms, ow = ephemeral and tonumber(sid) or 0,
                     ver = 0, cre = 0, cnt = 0, fl = band(fl, flag.kept),
                     who = band(fl, flag.creator_only) ~= 0 and me or '', data = data}
    changed[path], changed[parent] = true, true
    acts[#acts + 1] = {'c', path, parent, records[path], p}
    if #ARGV < 13 then r = head(records[path]) end
    return code.ok, path, 0
  end
  function prepare.r(path, parent, data, version, fl)
    if band(fl, flag.refused) ~= 0 then return code.bad_arguments end
    local p = node(parent)
    if not p then return code.no_node end
    if not may(p, true) then return code.no_auth end
    local n = node(path)
    if not n then return code.no_node end
    if version ~= -1 and version ~= n.ver then return code.bad_version end
    if n.cnt > 0 then return code.not_empty end
    p.cnt = p.cnt - 1
    p.pz = z
    records[path] = false
    changed[path], changed[parent] = true, true
    acts[#acts + 1] = {'r', path, parent, n, p}
    return code.ok, '', -1
  end
  function prepare.s(path, parent, data, version, fl)
    if band(fl, flag.bad_characters) ~= 0 then return code.bad_arguments end
    local n = node(path)
    if not n then return code.no_node end
    if not may(n, true) then return code.no_auth end
    if version ~= -1 and version ~= n.ver then return code.bad_version end
    n.ver, n.data, n.mz, n.mt = succ(n.ver), data, z, ms
    changed[path] = true
    acts[#acts + 1] = {'s', path, parent, n}
    r = head(n)
    return code.ok, '', n.ver
  end
  function prepare.k(path, parent, data, version, fl)
    if band(fl, flag.bad_characters) ~= 0 then return code.bad_arguments end
    local n = node(path)
    if not n then return code.no_node end
    if not may(n, false) then return code.no_auth end
    if version ~= -1 and version ~= n.ver then return code.bad_version end
    return code.ok, '', -1
  end
  for i = 7, #ARGV, 6 do
    if failure ~= code.ok then
      codes[#codes + 1] = code.rolled_back
    else
      local kind, path, parent, data, version, fl = unpack(ARGV, i, i + 5)
      local e, made, version_now = prepare[kind](path, parent, data, tonumber(version), tonumber(fl))
      codes[#codes + 1] = e
      failure = e
      results[#results + 1] = made or ''
      results[#results + 1] = version_now or -1
    end
  end
  if failure ~= code.ok then
    touch()
    take_queue()
    return {failure, get('z') or '0', back, events(), codes}
  end
  local grows = false
  for i = 1, #acts do grows = grows or acts[i][1] == 'c' end
  if not grows then touch() end
  put('z', string.format('%.0f', z))
  if queued then put('q' .. sid, false) end
  store()
  for i = 1, #acts do
    local a = acts[i]
    local kind, path, parent, n, p = a[1], a[2], a[3], a[4], a[5]
    if kind == 'c' then
      fire('w' .. path, event.created, path, n.who)
      fire('k' .. parent, event.children, parent, p.who)
    elseif kind == 'r' then
      tell_removal(path, n.who, parent, p.who)
    else
      fire('w' .. path, event.changed, path, n.who)
    end
  end
  flush()
  for i = 1, #acts do
    local a = acts[i]
    local kind, path, parent, n, p = a[1], a[2], a[3], a[4], a[5]
    if kind == 'c' then
      call('SADD', prefix .. ':c:' .. parent, name_of(path))
      if n.ow ~= 0 then call('SADD', prefix .. ':e:' .. sid, path) end
    elseif kind == 'r' then
      dropped(path, p, parent, z)
      if n.ow ~= 0 then call('SREM', prefix .. ':e:' .. string.format('%.0f', n.ow), path) end
    end
  end
  if grows then touch() end
  if count == '1' then return {code.ok, z, back, events(), results[1], r} end
  return {code.ok, z, back, events(), codes, results, r}
end
