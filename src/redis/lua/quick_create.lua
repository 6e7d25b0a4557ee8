-- SPDX-License-Identifier: Apache-2.0
-- Creates the ephemeral and sequential znode (flags 1 + 16) with which a client queues for a lock. With `lists`, also
-- returns the children of the folder, the parent of the znode. `what`: the flags of the folder. Mask 13 = ephemeral,
-- creator_only and read_only (1 + 4 + 8): this part handles no folder that has one of these flags.
if count == '1' and kind == 'c' and flags == '17' then
  local is, queued, zxid, due, folder, folder_watchers, looked, id =
      unpack(call('HMGET', nodes, 's' .. sid, 'q' .. sid, 'z', 'd', parent, 'k' .. parent, 'i', 'r'))
  local none_before = tonumber(due or 0)
  -- include "quick_look.lua"
  if same and is == mark and now < none_before and none_before <= until_then and
     folder and not queued and not folder_watchers then
    local creates, children, what = struct.unpack('<i4i4i4', folder, 53)
    if bit.band(what, 13) == 0 and creates ~= 2147483647 then
      local znode = path .. string.format('%010d', creates)
      local taken, watchers = unpack(call('HMGET', nodes, znode, 'w' .. znode))
      if not taken and not watchers then
        local z = (zxid or 0) + 1
        if z < now then z = now end
        local ms = math.floor(now / 1000)
        local record = struct.pack('<ddddddi4i4i4i4', z, z, z, ms, ms, sid, 0, 0, 0, 1)
        folder = string.sub(folder, 1, 16) .. struct.pack('<d', z) .. string.sub(folder, 25, 52) ..
                 struct.pack('<i4i4', creates + 1, children + 1) .. string.sub(folder, 61)
        local name = string.sub(znode, parent == '/' and 2 or #parent + 2)
        if type(redis.pcall('HSET', nodes, znode, record .. data, parent, folder, 'z', z)) == 'number' then
          call('SADD', prefix .. ':c:' .. parent, name)
          call('SADD', prefix .. ':e:' .. sid, znode)
          call('ZADD', deadlines, until_then, sid)
          if not lists then return {0, z, none_before - now, '', znode, record} end
          return {0, z, none_before - now, '', znode, record, 0, string.sub(folder, 1, 64), #folder - 64,
                  children == 0 and {name} or call('SMEMBERS', prefix .. ':c:' .. parent)}
        end
      end
    end
  end
end
