// SPDX-License-Identifier: Apache-2.0
#include "redis/script_parts.hpp"

#include <fmt/core.h>

#include <array>
#include <span>

#include "core/seam/seam.hpp"
#include "redis/script_numbers.hpp"

namespace turnstile::redis::script_parts {
namespace {

using core::server_error;
using core::watch_kind;

struct named_number {
    std::string_view name;  // in the scripts
    int number;

    template <class Number>
    constexpr named_number(std::string_view text, Number value)
        : name{text}, number{static_cast<int>(value)} {}
};

// What a script answers.
constexpr std::array k_codes{
    named_number{"ok", server_error::ok},
    named_number{"no_node", server_error::no_node},
    named_number{"node_exists", server_error::node_exists},
    named_number{"not_empty", server_error::not_empty},
    named_number{"bad_version", server_error::bad_version},
    named_number{"no_auth", server_error::no_auth},
    named_number{"invalid_acl", server_error::invalid_acl},
    named_number{"no_children_for_ephemerals", server_error::no_children_for_ephemerals},
    named_number{"bad_arguments", server_error::bad_arguments},
    named_number{"rolled_back", server_error::rolled_back},
    named_number{"quota_exceeded", server_error::quota_exceeded},
    named_number{"session_gone", k_session_gone},
    named_number{"session_moved", k_session_moved},
};
constexpr std::array k_events_by_name{
    named_number{"created", watch_kind::created},
    named_number{"deleted", watch_kind::deleted},
    named_number{"changed", watch_kind::changed},
    named_number{"children", watch_kind::children},
};
constexpr std::array k_flags{
    named_number{"ephemeral", k_part_ephemeral},
    named_number{"container", k_part_container},
    named_number{"creator_only", k_part_creator_only},
    named_number{"kept", k_part_ephemeral | k_part_container | k_part_creator_only},  // in a record
    named_number{"read_only", k_znode_read_only},
    named_number{"emptied", k_znode_emptied},
    named_number{"sequential", k_part_sequential},
    named_number{"refused", k_part_refused},
    named_number{"bad_characters", k_part_bad_characters},
};

std::string lua_table(std::string_view name, std::span<const named_number> entries) {
    std::string text = fmt::format("local {} = {{", name);
    for (const auto& entry : entries) text += fmt::format("{} = {}, ", entry.name, entry.number);
    return text + "}\n";
}

// Arguments 1 to 5 of all scripts: P, session id, mark, time-out in microseconds, the caller's identity.
// F: fields of P:n as read or as they are to be; W: those to be written; a field that is to go is false.
constexpr std::string_view k_fields = R"lua(
local N, D, P, sid, mark, me = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[5]
local call, band = redis.call, bit.band
local t = call('TIME')
local now = t[1] * 1000000 + t[2]
local F, W, dirty = {}, {}, false
local mine, publish = {}, {}
local function load(...)
  local fields = {...}
  local values = call('HMGET', N, ...)
  for i = 1, #fields do if F[fields[i]] == nil then F[fields[i]] = values[i] end end
end
local function get(f)
  local v = F[f]
  if v == nil then v = call('HGET', N, f); F[f] = v end
  return v
end
local function put(f, v) F[f] = v; W[f] = v; dirty = true end
)lua";

// Deletions go first: they are allowed where the memory is used up, and what follows is, too. A wake-up that the server
// refuses is as one that is lost: it must not break off what is half written.
constexpr std::string_view k_flush = R"lua(
local function flush()
  if dirty then
    local gone, kept = {}, {}
    for f, v in pairs(W) do
      if v then kept[#kept + 1] = f; kept[#kept + 1] = v else gone[#gone + 1] = f end
    end
    for i = 1, #gone, 1000 do call('HDEL', N, unpack(gone, i, math.min(i + 999, #gone))) end
    for i = 1, #kept, 1000 do call('HSET', N, unpack(kept, i, math.min(i + 999, #kept))) end
    W, dirty = {}, false
  end
  for i = 1, #publish do redis.pcall('PUBLISH', P .. ':' .. publish[i], '') end
  publish = {}
end
)lua";

// Events: one that the caller caused itself goes with its own reply, behind those that wait for it already.
constexpr std::string_view k_events = R"lua(
local function queue(to, kind, path)
  local e = struct.pack('<BI4', kind, #path) .. path
  if to == sid then mine[#mine + 1] = e return end
  local q = get('q' .. to)
  if not q then publish[#publish + 1] = to end
  put('q' .. to, (q or '') .. e)
end
local function identity_of(to)
  local m = get('s' .. to)
  return m and string.match(m, '^[^:]*:[^:]*:[^:]*:(.*)$') or ''
end
local function fire(f, kind, path, owner, told)
  local list = get(f)
  if not list then return nil end
  put(f, false)
  local all = {}
  for to in string.gmatch(list, '%d+') do
    all[to] = true
    call('SREM', P .. ':v:' .. to, f)
    if not (told and told[to]) and (owner == '' or owner == (to == sid and me or identity_of(to))) then
      queue(to, kind, path)
    end
  end
  return all
end
local function unwatch(id, f)
  local list = get(f)
  if not list then return end
  local rest = string.gsub(list, '%f[%d]' .. id .. ' ', '')  -- the whole number: another one may end with it
  put(f, rest ~= '' and rest)
end
)lua";

// Records: R has those of this request, unpacked; M those that have changed.
constexpr std::string_view k_records = R"lua(
local R, M = {}, {}
local function node(path)
  local r = R[path]
  if r ~= nil then return r end
  local s = get(path)
  if not s then R[path] = false return false end
  local cz, mz, pz, ct, mt, ow, ver, cre, cnt, fl, at = struct.unpack('<ddddddi4i4i4i4', s)
  r = {cz = cz, mz = mz, pz = pz, ct = ct, mt = mt, ow = ow, ver = ver, cre = cre, cnt = cnt, fl = fl,
       who = '', data = ''}
  if band(fl, flag.creator_only) ~= 0 then r.who = string.sub(s, at, at + 39); at = at + 40 end
  r.data = string.sub(s, at)
  R[path] = r
  return r
end
local function head(r)
  return struct.pack('<ddddddi4i4i4i4', r.cz, r.mz, r.pz, r.ct, r.mt, r.ow, r.ver, r.cre, r.cnt, r.fl)
end
local function store()
  for path in pairs(M) do
    local r = R[path]
    put(path, r and head(r) .. r.who .. r.data)
  end
  M = {}
end
local function next_zxid()
  local z = math.max((tonumber(get('z') or 0)) + 1, now)
  put('z', string.format('%.0f', z))
  return z
end
)lua";

// What is due: sessions end, with their znodes, at one zxid each. A script that is broken off, since a right was taken
// away under way, is not rolled back. So what a session's end starts from goes last: the next script ends it once more.
constexpr std::string_view k_due = R"lua(
local function parent_of(path)
  local at = string.match(path, '^.*()/')
  return at == 1 and '/' or string.sub(path, 1, at - 1)
end
local function name_of(path) return string.match(path, '[^/]*$') end
local function dropped(path, p, parent, z)
  call('SREM', P .. ':c:' .. parent, name_of(path))
  if band(p.fl, flag.container) ~= 0 and p.cnt == 0 and band(p.fl, flag.emptied) == 0 then call('ZADD', P .. ':r', 'NX', now, parent) end
end
local function tell_removal(path, who, parent, parents_who)
  local told = fire('w' .. path, event.deleted, path, who)
  fire('k' .. path, event.deleted, path, who, told)
  fire('k' .. parent, event.children, parent, parents_who)
end
local function drop_watches(id)
  local watches = call('SMEMBERS', P .. ':v:' .. id)
  for i = 1, #watches do unwatch(id, watches[i]) end
end
local function end_session(id)
  local z = next_zxid()
  drop_watches(id)
  local owned = call('SMEMBERS', P .. ':e:' .. id)
  for i = 1, #owned do
    local path = owned[i]
    local n = node(path)
    if n then
      local parent = parent_of(path)
      local p = node(parent)
      p.cnt = p.cnt - 1
      p.pz = math.max(p.pz, z)
      R[path] = false
      M[path] = true
      M[parent] = true
      dropped(path, p, parent, z)
      tell_removal(path, n.who, parent, p.who)
    end
  end
  store()
  put('s' .. id, false)
  put('q' .. id, false)
  flush()
  call('DEL', P .. ':v:' .. id, P .. ':e:' .. id)
  call('ZREM', D, id)
end
)lua";

// A server that begins anew, or takes over from another one, has another replication id, and may go on from older data.
// Then a new history of the tree begins: field "l" has when, and with which zxid as the last one. A session that
// changed znodes under a later one ends: what its client was told is not so, and no client would remove a contender
// that is there again. The id also changes under connections that stay. So every session is sent to attach anew (its
// connection is raised), and woken, so that it does so at once: what it changes then belongs to the new history.
//
// Field "i" has when the id was last looked at. A script within a millisecond of it need not look: to become a replica,
// load another server's data and become the master again takes longer. What goes first is a deletion (OOM, `flush`).
constexpr std::string_view k_history = R"lua(
local function begin_history(id)
  call('HDEL', N, 'i')
  local had = get('z') or '0'
  local l = (get('l') or '') .. string.format('%.0f:%s;', next_zxid(), had)
  while select(2, string.gsub(l, ';', ';')) > 32 do l = string.match(l, '^[^;]*;(.*)$') end
  put('l', l)
  put('r', id)
  local all = call('ZRANGE', D, 0, -1)
  for i = 1, #all do
    local is = get('s' .. all[i])
    local at = is and string.find(is, ':', 1, true)
    if at then put('s' .. all[i], string.format('%.0f', string.sub(is, 1, at - 1) + 1) .. string.sub(is, at)) end
    publish[#publish + 1] = all[i]
  end
  flush()
end
local function look_at_server()
  local id = string.match(call('INFO', 'replication'), 'master_replid:([^\r]*)') or ''
  if get('r') ~= id then begin_history(id) end
  redis.pcall('HSET', N, 'i', now)
end
)lua";

// Field "d": no session is due before that instant. It is raised here, where there is memory for it, and lowered by
// what gives a session an earlier deadline.
constexpr std::string_view k_come_back = R"lua(
local function none_before(at)
  local d = get('d')
  if d and tonumber(d) <= at then return end
  call('HSET', N, 'd', at)
  F.d = at
end
local function come_back()
  while true do
    local r = call('ZRANGE', D, 0, 1, 'WITHSCORES')
    if not r[1] then return -1 end
    if tonumber(r[2]) > now then
      if get('d') ~= r[2] and type(redis.pcall('HSET', N, 'd', r[2])) == 'number' then F.d = r[2] end
      local due = r[2]
      if r[1] == sid then due = r[4] end
      return due and due - now or -1
    end
    end_session(r[1])
  end
end
)lua";

// The session is the caller's, on this connection; it lives on from now.
// Where the memory is used up the server refuses what may grow, but not once a script has deleted something: `touch`
// sees to it that a session lives on there.
constexpr std::string_view k_session = R"lua(
load('s' .. sid, 'q' .. sid, 'z', 'd', 'i', 'r')
local looked = tonumber(get('i') or 0)
if looked > now or looked <= now - 1000 then look_at_server() end
local back = come_back()
local is = get('s' .. sid)
if is ~= mark then
  if is and mine[1] then
    put('q' .. sid, (get('q' .. sid) or '') .. table.concat(mine))
    publish[1] = sid
    flush()
  end
  return {is and code.session_moved or code.session_gone}
end
local queued = get('q' .. sid)
local function touch()
  local r = redis.pcall('ZADD', D, now + ARGV[4], sid)
  if type(r) == 'table' then
    call('HDEL', N, 'q' .. sid)
    call('ZADD', D, now + ARGV[4], sid)
  end
  none_before(now + ARGV[4])
end
local function take_queue() if queued then call('HDEL', N, 'q' .. sid) end end
local function events()
  if queued then return queued .. table.concat(mine) end
  return table.concat(mine)
end
)lua";

}  // namespace

std::string common(std::string_view first) {
    std::string text = lua_table("code", k_codes) + lua_table("event", k_events_by_name) +
                       lua_table("flag", k_flags);
    for (const auto part :
         {k_fields, k_flush, k_events, k_records, k_due, k_history, k_come_back, first})
        text += part;
    return text;
}

std::string session() {
    return std::string{k_session};
}

}  // namespace turnstile::redis::script_parts
