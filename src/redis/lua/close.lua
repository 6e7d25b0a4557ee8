-- SPDX-License-Identifier: Apache-2.0
-- Ends a session for its client, or for the guardian of its dead process. The script does not compare the connection in
-- the session's mark. A guardian may not know the latest connection, and no client closes a session that it attaches
-- again. The rest of the mark contains the password. So the script does not end another session to which a server with
-- older data has assigned the same id.
-- include "arguments.lua"
-- include "tree.lua"
look_at_server()
local is = get('s' .. sid)
local is_own = is and string.match(is, ':.*') == string.match(mark, ':.*')
if is_own then end_session(sid) end
come_back()
return {is_own and code.ok or code.session_gone}
