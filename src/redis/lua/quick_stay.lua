-- SPDX-License-Identifier: Apache-2.0
-- Moves the session's deadline, and removes the events from the session's queue, because the answer contains them. A
-- server whose memory is used up refuses a command that may need memory, but not after the script has deleted
-- something.
if type(redis.pcall('ZADD', deadlines, until_then, sid)) == 'table' then
  call('HDEL', nodes, 'q' .. sid)
  call('ZADD', deadlines, until_then, sid)
end
if queued then call('HDEL', nodes, 'q' .. sid) end
