-- SPDX-License-Identifier: Apache-2.0
-- Executes one write, or several writes together. `count` is 1 for a single write, which the script answers with the
-- path and the record. `count` is n for the writes of a multi. Each part has six arguments: kind, path, parent, data,
-- version ('-1': any), flags.
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
