-- SPDX-License-Identifier: Apache-2.0
-- The session ends, in order.
-- include "arguments.lua"
-- include "tree.lua"
-- include "session.lua"
end_session(sid)
return {code.ok}
