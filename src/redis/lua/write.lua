-- SPDX-License-Identifier: Apache-2.0
-- Executes one write, or a multi (one request with several writes, called parts). `count`: '1' for a single write,
-- whose answer contains the path and the record; 'n' for a multi. Each part has six arguments: kind, path, parent,
-- data, version ('-1': any), flags.
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
