-- SPDX-License-Identifier: Apache-2.0
-- The orderly end of a session.
-- include "arguments.lua"
-- include "tree.lua"
-- include "session.lua"
end_session(sid)
return {code.ok}
