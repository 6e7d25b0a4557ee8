-- SPDX-License-Identifier: Apache-2.0
-- Checks that the session still belongs to the caller and to this connection. `touch` moves the session's deadline. A
-- server without free memory may refuse this write, but it refuses no write after the script has deleted something. So
-- after a refusal, `touch` deletes a field and repeats the write.
load('s' .. sid, 'q' .. sid, 'z', 'd', 'i', 'r')
local looked = tonumber(get('i') or 0)
if looked > now or looked <= now - 1000 then look_at_server() end
local back = come_back()
local is = get('s' .. sid)
if is ~= mark then
  if is and mine[1] then
    put('q' .. sid, (get('q' .. sid) or '') .. table.concat(mine))
    publish[1] = sid
    flush()
  end
  return {is and code.session_moved or code.session_gone}
end
local queued = get('q' .. sid)
local function touch()
  if type(redis.pcall('ZADD', deadlines, now + timeout, sid)) == 'table' then
    call('HDEL', nodes, 'q' .. sid)
    call('ZADD', deadlines, now + timeout, sid)
  end
  none_before(now + timeout)
end
local function take_queue() if queued then call('HDEL', nodes, 'q' .. sid) end end
local function events()
  if queued then return queued .. table.concat(mine) end
  return table.concat(mine)
end
