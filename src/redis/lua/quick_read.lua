-- SPDX-License-Identifier: Apache-2.0
-- Executes every kind of read. Mask 4 = creator_only: in the record of such a znode, the creator's identity precedes
-- the data.
do
  local is, queued, zxid, due, record, watchers, looked, id =
      unpack(call('HMGET', nodes, 's' .. sid, 'q' .. sid, 'z', 'd', path, watchers_field, 'i', 'r'))
  local none_before = tonumber(due or 0)
  -- include "quick_look.lua"
  if same and is == mark and now < none_before and none_before <= until_then then
    -- include "quick_stay.lua"
    local z, back, events, data = tonumber(zxid or 0), none_before - now, queued or '', 65
    if not record and kind ~= 'e' then return {1, z, back, events} end
    if record and bit.band(struct.unpack('<i4', record, 61), 4) ~= 0 then
      data = 105
      if kind ~= 'e' and string.sub(record, 65, 104) ~= me then return {5, z, back, events} end
    end
    if watched == '1' and not (watchers and string.find(' ' .. watchers, ' ' .. sid .. ' ', 1, true)) then
      call('HSET', nodes, watchers_field, (watchers or '') .. sid .. ' ')
      call('SADD', prefix .. ':v:' .. sid, watchers_field)
    end
    if not record then return {1, z, back, events} end
    local head, length = string.sub(record, 1, 64), #record - data + 1
    if kind == 'd' then return {0, z, back, events, head, length, string.sub(record, data)} end
    if kind == 'e' then return {0, z, back, events, head, length} end
    return {0, z, back, events, head, length,
            struct.unpack('<i4', record, 57) > 0 and call('SMEMBERS', prefix .. ':c:' .. path) or {}}
  end
end
