-- SPDX-License-Identifier: Apache-2.0
-- Moves the session's deadline; the session gets its events. With the memory used up the server refuses commands that
-- may grow, but not once a script has deleted something.
if type(redis.pcall('ZADD', deadlines, until_then, sid)) == 'table' then
  call('HDEL', nodes, 'q' .. sid)
  call('ZADD', deadlines, until_then, sid)
end
if queued then call('HDEL', nodes, 'q' .. sid) end
