-- SPDX-License-Identifier: Apache-2.0
-- Moves the session's deadline, and removes its queued events, because the answer contains them. A server without free
-- memory may refuse a command, but not after the script has deleted something.
if type(redis.pcall('ZADD', deadlines, until_then, sid)) == 'table' then
  call('HDEL', nodes, 'q' .. sid)
  call('ZADD', deadlines, until_then, sid)
end
if queued then call('HDEL', nodes, 'q' .. sid) end
