-- SPDX-License-Identifier: Apache-2.0
-- Moves the session's deadline, and removes the session's queued events, because the answer contains them. A server
-- without free memory may refuse to move the deadline, but it refuses no write after the script has deleted something.
-- So after a refusal, the script deletes the queued events first and repeats the write.
if type(redis.pcall('ZADD', deadlines, until_then, sid)) == 'table' then
  call('HDEL', nodes, 'q' .. sid)
  call('ZADD', deadlines, until_then, sid)
end
if queued then call('HDEL', nodes, 'q' .. sid) end
