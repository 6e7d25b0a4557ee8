-- SPDX-License-Identifier: Apache-2.0
-- Ends a session for its client, or for the guardian, which ends the sessions of a dead process. The script does not
-- compare the connection's number in the session's mark: a guardian may not know the latest number, and a client does
-- not attach a session that it closes. The rest of the mark contains the password. So the script cannot end another
-- session that has got this session's id after a restore of older data.
-- include "arguments.lua"
-- include "tree.lua"
look_at_server()
local is = get('s' .. sid)
local is_own = is and string.match(is, ':.*') == string.match(mark, ':.*')
if is_own then end_session(sid) end
come_back()
return {is_own and code.ok or code.session_gone}
