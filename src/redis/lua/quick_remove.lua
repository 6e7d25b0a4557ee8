-- SPDX-License-Identifier: Apache-2.0
-- Removes a znode of any version, and sends the events to the sessions that watch it. Deletions go first: a server
-- without free memory accepts a deletion, and then every later command of the script.
--
-- Masks for the flags of the folder (`what`) and of the znode (`own`):
-- - 12 = creator_only and read_only (4 + 8): this part handles no folder that has one of these flags.
-- - 4 = creator_only: this part handles no znode that has this flag.
-- - 130 = container and emptied (2 + 128). The result 2 means that the folder is a container without the flag
-- `emptied`.
--   The key P:r, the list of emptied containers, does not contain this folder yet.

-- Returns the message to the sessions that watch the znode: the zxid of the removal and the event. If the folder has at
-- most 100 children, the message also contains their names (bell.hpp).
local function removal(z, event, parent, head, length, children)
  local parts = {struct.pack('<dI4', z, #event), event}
  if children > 100 then return table.concat(parts) end
  local names = children > 0 and call('SMEMBERS', prefix .. ':c:' .. parent) or {}
  parts[3] = head
  parts[4] = struct.pack('<I4I4', length, #parent)
  parts[5] = parent
  for i = 1, #names do
    parts[#parts + 1] = struct.pack('<I4', #names[i])
    parts[#parts + 1] = names[i]
  end
  return table.concat(parts)
end

if count == '1' and kind == 'r' and flags == '0' and version == '-1' then
  local watched = 'w' .. path
  local is, queued, zxid, due, folder, folder_watchers, znode, list_watchers, watchers, looked, id =
      unpack(call('HMGET', nodes, 's' .. sid, 'q' .. sid, 'z', 'd', parent, 'k' .. parent, path, 'k' .. path, watched,
                  'i', 'r'))
  local none_before = tonumber(due or 0)
  -- include "quick_look.lua"
  if same and is == mark and now < none_before and none_before <= until_then and
     folder and znode and not folder_watchers and not list_watchers then
    local creates, children, what = struct.unpack('<i4i4i4', folder, 53)
    local owner, _, _, own_children, own = struct.unpack('<di4i4i4i4', znode, 41)
    if bit.band(what, 12) == 0 and bit.band(own, 4) == 0 and own_children == 0 then
      local z = (zxid or 0) + 1
      if z < now then z = now end
      if watchers then call('HDEL', nodes, path, watched) else call('HDEL', nodes, path) end
      call('SREM', prefix .. ':c:' .. parent, string.sub(path, parent == '/' and 2 or #parent + 2))
      if owner ~= 0 then
        call('SREM', prefix .. ':e:' .. (owner == tonumber(sid) and sid or string.format('%.0f', owner)), path)
      end
      if children == 1 and bit.band(what, 130) == 2 then
        call('ZADD', prefix .. ':r', 'NX', now, parent)
        what = what + 128
      end
      folder = string.sub(folder, 1, 16) .. struct.pack('<d', z) .. string.sub(folder, 25, 52) ..
               struct.pack('<i4i4i4', creates, children - 1, what) .. string.sub(folder, 65)
      call('HSET', nodes, parent, folder, 'z', z)
      local mine, told = '', nil
      if watchers then
        local e = struct.pack('<BI4', 1, #path) .. path
        for to in string.gmatch(watchers, '%d+') do
          call('SREM', prefix .. ':v:' .. to, watched)
          if to == sid then
            mine = e
          else
            local waiting, its_mark = unpack(call('HMGET', nodes, 'q' .. to, 's' .. to))
            call('HSET', nodes, 'q' .. to, (waiting or '') .. e)
            if not waiting then
              told = told or removal(z, e, parent, string.sub(folder, 1, 64), #folder - 64, children - 1)
              redis.pcall('PUBLISH', prefix .. ':' .. to, redis.sha1hex(told .. (its_mark or '')) .. told)
            end
          end
        end
      end
      call('ZADD', deadlines, until_then, sid)
      if queued then
        call('HDEL', nodes, 'q' .. sid)
        mine = queued .. mine
      end
      return {0, z, none_before - now, mine, ''}
    end
  end
end
