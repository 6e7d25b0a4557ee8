-- SPDX-License-Identifier: Apache-2.0
-- The session lives on, and has its events. Where the memory is used up the server refuses what may grow, but not once
-- a script has deleted something.
if type(redis.pcall('ZADD', deadlines, until_then, sid)) == 'table' then
  call('HDEL', nodes, 'q' .. sid)
  call('ZADD', deadlines, until_then, sid)
end
if queued then call('HDEL', nodes, 'q' .. sid) end
