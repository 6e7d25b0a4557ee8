-- SPDX-License-Identifier: Apache-2.0
-- Fetches the session's queued events.
-- include "arguments.lua"
-- include "quick.lua"
-- include "quick_fetch.lua"
-- include "tree.lua"
-- include "session.lua"
touch()
take_queue()
return {code.ok, get('z') or '0', back, events()}
