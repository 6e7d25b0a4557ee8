-- SPDX-License-Identifier: Apache-2.0
-- Unpacks and packs the records of znodes (records.hpp). `records`: the unpacked records, by path. `changed`: the paths
-- whose records the script must write.
local records, changed = {}, {}
local function node(path)
  local r = records[path]
  if r ~= nil then return r end
  local s = get(path)
  if not s then records[path] = false return false end
  local cz, mz, pz, ct, mt, ow, ver, cre, cnt, fl, at = struct.unpack('<ddddddi4i4i4i4', s)
  r = {cz = cz, mz = mz, pz = pz, ct = ct, mt = mt, ow = ow, ver = ver, cre = cre, cnt = cnt, fl = fl,
       who = '', data = ''}
  if band(fl, flag.creator_only) ~= 0 then r.who = string.sub(s, at, at + 39); at = at + 40 end
  r.data = string.sub(s, at)
  records[path] = r
  return r
end
local function head(r)
  return struct.pack('<ddddddi4i4i4i4', r.cz, r.mz, r.pz, r.ct, r.mt, r.ow, r.ver, r.cre, r.cnt, r.fl)
end
local function store()
  for path in pairs(changed) do
    local r = records[path]
    put(path, r and head(r) .. r.who .. r.data)
  end
  changed = {}
end
local function next_zxid()
  local z = math.max((tonumber(get('z') or 0)) + 1, now)
  put('z', string.format('%.0f', z))
  return z
end
