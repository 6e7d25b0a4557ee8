-- SPDX-License-Identifier: Apache-2.0
-- Fetches the queued events. After the event of a removal, a client that waits for a lock lists the folder, the parent
-- of the removed znode. If this is the only event and the folder has at most 1,000 children, the answer includes the
-- list.
do
  local is, queued, zxid, due, looked, id =
      unpack(call('HMGET', nodes, 's' .. sid, 'q' .. sid, 'z', 'd', 'i', 'r'))
  local none_before = tonumber(due or 0)
  -- include "quick_look.lua"
  if same and is == mark and queued and now < none_before and none_before <= until_then then
    -- include "quick_stay.lua"
    local z, back = tonumber(zxid or 0), none_before - now
    if string.byte(queued) == 1 and #queued == 5 + struct.unpack('<I4', queued, 2) then
      local parent = string.match(queued, '^(.+)/', 6) or '/'
      local folder = call('HGET', nodes, parent)
      local children, what = 0, 4
      if folder then children, what = struct.unpack('<i4i4', folder, 57) end
      if bit.band(what, 4) == 0 and children <= 1000 then
        return {0, z, back, queued, string.sub(folder, 1, 64), #folder - 64,
                children > 0 and call('SMEMBERS', prefix .. ':c:' .. parent) or {}, parent}
      end
    end
    return {0, z, back, queued}
  end
end
