-- SPDX-License-Identifier: Apache-2.0
-- A write, or several that are executed together. `count`: 1 for a single write, which is answered with its path and
-- record, n for the writes of a multi. Six arguments a part: kind, path, parent, data, version ('-1': any), flags.
-- include "arguments.lua"
local count, kind, path, parent, data, version, flags = unpack(ARGV, 6, 12)
local lists = false
-- include "quick.lua"
-- include "quick_create.lua"
-- include "quick_remove.lua"
-- include "tree.lua"
-- include "load_write.lua"
-- include "session.lua"
-- include "carry_out.lua"
return carry_out()
