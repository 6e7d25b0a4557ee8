-- SPDX-License-Identifier: Apache-2.0
-- The fields of the hash P:n (scripts.hpp). `known`: the fields that the script has read or will write; false for a
-- field that it will delete. `unwritten`: the fields that the script has not written yet.
local code, event, flag, layout = constants()  -- in scripts.cpp
local band = bit.band
local known, unwritten, dirty = {}, {}, false
local mine, publish = {}, {}
local function load(...)
  local fields = {...}
  local values = call('HMGET', nodes, ...)
  for i = 1, #fields do if known[fields[i]] == nil then known[fields[i]] = values[i] end end
end
local function get(f)
  local v = known[f]
  if v == nil then v = call('HGET', nodes, f); known[f] = v end
  return v
end
local function put(f, v) known[f] = v; unwritten[f] = v; dirty = true end

-- Writes the unwritten fields, deletions first: a server without free memory accepts a deletion, and then every later
-- command of the script. An empty message wakes each session that has new events. If the server refuses the message,
-- the script continues, because it must not stop between two writes.
local function flush()
  if dirty then
    local gone, kept = {}, {}
    for f, v in pairs(unwritten) do
      if v then kept[#kept + 1] = f; kept[#kept + 1] = v else gone[#gone + 1] = f end
    end
    for i = 1, #gone, 1000 do call('HDEL', nodes, unpack(gone, i, math.min(i + 999, #gone))) end
    for i = 1, #kept, 1000 do call('HSET', nodes, unpack(kept, i, math.min(i + 999, #kept))) end
    unwritten, dirty = {}, false
  end
  for i = 1, #publish do redis.pcall('PUBLISH', prefix .. ':' .. publish[i], '') end
  publish = {}
end
