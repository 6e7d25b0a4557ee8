-- SPDX-License-Identifier: Apache-2.0
-- The end of a session, by its client or by the guardian of its dead process. The mark's connection does not count: a
-- guardian may not have heard of the latest one, and no client closes a session that it attaches again. The rest of the
-- mark has the password, so a session to which a server with older data assigned the same id stays.
-- include "arguments.lua"
-- include "tree.lua"
look_at_server()
local is = get('s' .. sid)
local is_own = is and string.match(is, ':.*') == string.match(mark, ':.*')
if is_own then end_session(sid) end
come_back()
return {is_own and code.ok or code.session_gone}
