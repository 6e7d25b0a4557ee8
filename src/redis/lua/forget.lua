-- SPDX-License-Identifier: Apache-2.0
-- Removes the session's watches on a path.
-- include "arguments.lua"
local path = ARGV[6]
-- include "tree.lua"
-- include "session.lua"
touch()
take_queue()
for _, f in ipairs({'w' .. path, 'k' .. path}) do
  unwatch(sid, f)
  call('SREM', prefix .. ':v:' .. sid, f)
end
flush()
return {code.ok, get('z') or '0', back, events()}
