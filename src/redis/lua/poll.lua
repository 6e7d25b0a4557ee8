-- SPDX-License-Identifier: Apache-2.0
-- Fetches the events that wait at the server for the session.
-- include "arguments.lua"
-- include "quick.lua"
-- include "quick_fetch.lua"
-- include "tree.lua"
-- include "session.lua"
touch()
take_queue()
return {code.ok, get('z') or '0', back, events()}
