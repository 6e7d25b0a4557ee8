// SPDX-License-Identifier: Apache-2.0
#include "redis/scripts.hpp"

#include <fmt/core.h>

#include "base/never_destroyed.hpp"
#include "redis/quick_parts.hpp"
#include "redis/script_parts.hpp"

namespace turnstile::redis {
namespace {

// One look at all fields that a single write needs.
constexpr std::string_view k_write_first = R"lua(
if #ARGV == 12 then
  if band(ARGV[12], flag.sequential) ~= 0 then
    load('s' .. sid, 'q' .. sid, 'z', 'd', ARGV[9], 'k' .. ARGV[9])
  else
    load('s' .. sid, 'q' .. sid, 'z', 'd', ARGV[9], ARGV[8], 'k' .. ARGV[9], 'w' .. ARGV[8], 'k' .. ARGV[8])
  end
end
)lua";

// ARGV[6]: 1 for a single write, which is answered with its path and record, n for those of a multi. Kinds of parts: c
// create, r remove, s set, k check; then path, parent, data, version, flags. All parts are looked at before anything is
// written; without a create among them a write is carried out where the memory is used up.
constexpr std::string_view k_write = R"lua(
local function carry_out()
local ms = math.floor(now / 1000)
local z = math.max((tonumber(get('z') or 0)) + 1, now)
local acts, results, codes, failure, r = {}, {}, {}, code.ok, ''
local function may(r, write)
  if band(r.fl, flag.read_only) ~= 0 then return not write end
  return r.who == '' or r.who == me
end
local function succ(n) if n == 2147483647 then return -2147483648 end return n + 1 end
local prepare = {}
function prepare.c(path, parent, data, version, fl)
  if band(fl, flag.refused) ~= 0 then return code.bad_arguments end
  if band(fl, flag.creator_only) ~= 0 and me == '' then return code.invalid_acl end
  local p = node(parent)
  if not p then return code.no_node end
  if not may(p, true) then return code.no_auth end
  if band(fl, flag.sequential) ~= 0 then
    path = path .. string.format('%010d', p.cre)
    load(path, 'w' .. path)
  end
  if band(fl, flag.bad_characters) ~= 0 then return code.bad_arguments end
  if node(path) then return code.node_exists end
  if band(p.fl, flag.ephemeral) ~= 0 then return code.no_children_for_ephemerals end
  p.cre = succ(p.cre)
  p.cnt = p.cnt + 1
  p.pz = z
  local ephemeral = band(fl, flag.ephemeral) ~= 0
  R[path] = {cz = z, mz = z, pz = z, ct = ms, mt = ms, ow = ephemeral and tonumber(sid) or 0,
             ver = 0, cre = 0, cnt = 0, fl = band(fl, flag.kept), who = band(fl, flag.creator_only) ~= 0 and me or '', data = data}
  M[path], M[parent] = true, true
  acts[#acts + 1] = {'c', path, parent, R[path], p}
  if #ARGV < 13 then r = head(R[path]) end
  return code.ok, path, 0
end
function prepare.r(path, parent, data, version, fl)
  if band(fl, flag.refused) ~= 0 then return code.bad_arguments end
  local p = node(parent)
  if not p then return code.no_node end
  if not may(p, true) then return code.no_auth end
  local n = node(path)
  if not n then return code.no_node end
  if version ~= -1 and version ~= n.ver then return code.bad_version end
  if n.cnt > 0 then return code.not_empty end
  p.cnt = p.cnt - 1
  p.pz = z
  R[path] = false
  M[path], M[parent] = true, true
  acts[#acts + 1] = {'r', path, parent, n, p}
  return code.ok, '', -1
end
function prepare.s(path, parent, data, version, fl)
  if band(fl, flag.bad_characters) ~= 0 then return code.bad_arguments end
  local n = node(path)
  if not n then return code.no_node end
  if not may(n, true) then return code.no_auth end
  if version ~= -1 and version ~= n.ver then return code.bad_version end
  n.ver, n.data, n.mz, n.mt = succ(n.ver), data, z, ms
  M[path] = true
  acts[#acts + 1] = {'s', path, parent, n}
  r = head(n)
  return code.ok, '', n.ver
end
function prepare.k(path, parent, data, version, fl)
  if band(fl, flag.bad_characters) ~= 0 then return code.bad_arguments end
  local n = node(path)
  if not n then return code.no_node end
  if not may(n, false) then return code.no_auth end
  if version ~= -1 and version ~= n.ver then return code.bad_version end
  return code.ok, '', -1
end
for i = 7, #ARGV, 6 do
  if failure ~= code.ok then
    codes[#codes + 1] = code.rolled_back
  else
    local e, path, version = prepare[ARGV[i]](ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5]))
    codes[#codes + 1] = e
    failure = e
    results[#results + 1] = path or ''
    results[#results + 1] = version or -1
  end
end
if failure ~= code.ok then
  touch()
  take_queue()
  return {failure, get('z') or '0', back, events(), codes}
end
local grows = false
for i = 1, #acts do grows = grows or acts[i][1] == 'c' end
if not grows then touch() end
put('z', string.format('%.0f', z))
if queued then put('q' .. sid, false) end
store()
for i = 1, #acts do
  local a = acts[i]
  local kind, path, parent, n, p = a[1], a[2], a[3], a[4], a[5]
  if kind == 'c' then
    fire('w' .. path, event.created, path, n.who)
    fire('k' .. parent, event.children, parent, p.who)
  elseif kind == 'r' then
    tell_removal(path, n.who, parent, p.who)
  else
    fire('w' .. path, event.changed, path, n.who)
  end
end
flush()
for i = 1, #acts do
  local a = acts[i]
  local kind, path, parent, n, p = a[1], a[2], a[3], a[4], a[5]
  if kind == 'c' then
    call('SADD', P .. ':c:' .. parent, name_of(path))
    if n.ow ~= 0 then call('SADD', P .. ':e:' .. sid, path) end
  elseif kind == 'r' then
    dropped(path, p, parent, z)
    if n.ow ~= 0 then call('SREM', P .. ':e:' .. string.format('%.0f', n.ow), path) end
  end
end
if grows then touch() end
if ARGV[6] == '1' then return {code.ok, z, back, events(), results[1], r} end
return {code.ok, z, back, events(), codes, results, r}
end
)lua";

constexpr std::string_view k_written = R"lua(
return carry_out()
)lua";

// A create, and the list of the folder behind it, which is answered where there is no memory for the create, too.
constexpr std::string_view k_written_and_listed = R"lua(
local done, a = pcall(carry_out)
if not done then
  local text = type(a) == 'table' and a.err or tostring(a)
  if not string.find(text, 'OOM command', 1, true) then return {err = text} end
  F, W, dirty, R, M = {}, {}, false, {}, {}
  touch()
  take_queue()
  a = {code.quota_exceeded, get('z') or '0', back, events()}
end
local parent = ARGV[9]
local r = node(parent)
a[5], a[6] = a[1] == code.ok and a[5] or '', a[6] or ''
if not r then a[7] = code.no_node return a end
if r.who ~= '' and r.who ~= me then a[7] = code.no_auth return a end
a[7], a[8], a[9] = code.ok, head(r), #r.data
a[10] = r.cnt > 0 and call('SMEMBERS', P .. ':c:' .. parent) or {}
return a
)lua";

constexpr std::string_view k_read_first = R"lua(
load('s' .. sid, 'q' .. sid, 'z', 'd', ARGV[7], (ARGV[6] == 'c' and 'k' or 'w') .. ARGV[7])
)lua";

// Kinds of reads: d data, e existence, c children; then the path and whether it is to be watched.
constexpr std::string_view k_read = R"lua(
local kind, path, watched = ARGV[6], ARGV[7], ARGV[8] == '1'
touch()
take_queue()
local z = get('z') or '0'
local r = node(path)
if not r and kind ~= 'e' then return {code.no_node, z, back, events()} end
if r and kind ~= 'e' and r.who ~= '' and r.who ~= me then return {code.no_auth, z, back, events()} end
if watched then
  local f = (kind == 'c' and 'k' or 'w') .. path
  local list = get(f) or ''
  if not string.find(' ' .. list, ' ' .. sid .. ' ', 1, true) then
    call('HSET', N, f, list .. sid .. ' ')
    call('SADD', P .. ':v:' .. sid, f)
  end
end
if not r then return {code.no_node, z, back, events()} end
if kind == 'd' then return {code.ok, z, back, events(), head(r), #r.data, r.data} end
if kind == 'e' then return {code.ok, z, back, events(), head(r), #r.data} end
return {code.ok, z, back, events(), head(r), #r.data, r.cnt > 0 and call('SMEMBERS', P .. ':c:' .. path) or {}}
)lua";

constexpr std::string_view k_poll = R"lua(
touch()
take_queue()
return {code.ok, get('z') or '0', back, events()}
)lua";

constexpr std::string_view k_forget = R"lua(
touch()
take_queue()
for _, f in ipairs({'w' .. ARGV[6], 'k' .. ARGV[6]}) do
  unwatch(sid, f)
  call('SREM', P .. ':v:' .. sid, f)
end
flush()
return {code.ok, get('z') or '0', back, events()}
)lua";

// Containers that were emptied `ARGV[6]` microseconds ago, and are empty now.
constexpr std::string_view k_reap = R"lua(
touch()
take_queue()
local due = call('ZRANGEBYSCORE', P .. ':r', '-inf', now - ARGV[6], 'LIMIT', 0, 100)
for i = 1, #due do
  local path = due[i]
  call('ZREM', P .. ':r', path)
  local n = node(path)
  if n and n.cnt > 0 and band(n.fl, flag.emptied) ~= 0 then
    n.fl = n.fl - flag.emptied
    M[path] = true
    store()
  end
  if n and band(n.fl, flag.container) ~= 0 and n.cnt == 0 and n.cre ~= 0 then
    local parent = parent_of(path)
    local p = node(parent)
    local z = next_zxid()
    p.cnt = p.cnt - 1
    p.pz = z
    R[path] = false
    M[path], M[parent] = true, true
    store()
    dropped(path, p, parent, z)
    tell_removal(path, n.who, parent, p.who)
  end
end
flush()
return {code.ok, get('z') or '0', back, events()}
)lua";

constexpr std::string_view k_close = R"lua(
end_session(sid)
return {code.ok}
)lua";

// The attach of a session:
//
// | ARGV | what                                                                                    |
// |------|-----------------------------------------------------------------------------------------|
// | 1    | P                                                                                       |
// | 2    | the session's id, empty for a new one                                                   |
// | 3    | its mark without the connection: ":time-out:password:identity"                          |
// | 4, 5 | its time-out in microseconds, the caller's identity                                     |
// | 6    | the last zxid that the client has seen: a watched znode with a later one has changed    |
// | 7    | the history that it was attached in last, empty for a new one (field "l": when it began) |
// | 8    | the last zxid under which it was told, there, that a znode was made or removed          |
// | 9... | its watches, a kind and a path each: d of a znode that was there, e of one that was not, c of children |
//
// The layout's version is looked at before anything else: a tree of another one is left as it is. A tree without it was
// made before there was the field, which is added with the session's mark: sooner, and with the memory used up, it would
// keep a session whose time is over from being told so (`flush`).
// Then the server is looked at: where it is not the one that the tree was at, another history begins.
// The session's watches are set anew: one that would have fired meanwhile fires now.
constexpr std::string_view k_attach = R"lua(
local version = get('v') or get('/') and '1' or layout
if version ~= layout then return {other_layout, '0', -1, '', version} end
if not get('/') then
  local function first(path, cnt, fl)
    R[path] = {cz = 0, mz = 0, pz = 0, ct = 0, mt = 0, ow = 0, ver = 0, cre = 0, cnt = cnt, fl = fl, who = '', data = ''}
    M[path] = true
  end
  first('/', 1, 0)
  first('/zookeeper', 2, 0)
  first('/zookeeper/config', 0, flag.read_only)
  first('/zookeeper/quota', 0, 0)
  put('v', layout)
  store()
  flush()
  call('SADD', P .. ':c:/', 'zookeeper')
  call('SADD', P .. ':c:/zookeeper', 'config', 'quota')
end
look_at_server()
local seen = tonumber(ARGV[6])
local function is_forgotten()
  local known = false
  for began, had in string.gmatch(get('l'), '(%d+):(%d+);') do
    if known then
      if tonumber(had) < tonumber(ARGV[8]) then return true end
      seen = math.min(seen, tonumber(had))
    end
    known = known or began == ARGV[7]
  end
  return not known
end
local back = come_back()
local connection = 1
if sid == '' then
  sid = string.format('%.0f', next_zxid())
else
  local is = get('s' .. sid)
  local at = is and string.find(is, ':', 1, true)
  if not is or string.sub(is, at) ~= mark then flush() return {code.session_gone} end
  if is_forgotten() then
    end_session(sid)
    return {code.session_gone}
  end
  connection = string.sub(is, 1, at - 1) + 1
  drop_watches(sid)
  call('DEL', P .. ':v:' .. sid)
  put('q' .. sid, false)
  mine = {}
end
mark = string.format('%.0f', connection) .. mark
put('s' .. sid, mark)
if not get('v') then put('v', layout) end
local function watch(f)
  put(f, (get(f) or '') .. sid .. ' ')
  call('SADD', P .. ':v:' .. sid, f)
end
for i = 9, #ARGV, 2 do
  local kind, path = ARGV[i], ARGV[i + 1]
  local n = node(path)
  if kind == 'e' then
    if n then queue(sid, event.created, path) else watch('w' .. path) end
  elseif not n then
    queue(sid, event.deleted, path)
  elseif kind == 'd' then
    if n.mz > seen then queue(sid, event.changed, path) else watch('w' .. path) end
  else
    if n.pz > seen then queue(sid, event.children, path) else watch('k' .. path) end
  end
end
flush()
call('ZADD', D, now + ARGV[4], sid)
none_before(now + ARGV[4])
return {code.ok, get('z') or '0', back, table.concat(mine), sid, mark, string.match(get('l'), '(%d+):%d+;$')}
)lua";

std::string numbers_of_attach() {
    return fmt::format("local layout, other_layout = '{}', {}\n", k_layout, k_other_layout);
}

// In the order of the enum.
std::array<std::string, k_script_count> all_texts() {
    const auto in_session = [](std::string_view first, std::string_view body) {
        return script_parts::common(first) + script_parts::session() + std::string{body};
    };
    const std::string write{k_write};
    return {script_parts::common(numbers_of_attach()) + std::string{k_attach},
            in_session({}, k_close),
            quick_parts::beginning() + quick_parts::create(true) +
                in_session(k_write_first, write + std::string{k_written_and_listed}),
            in_session({}, k_forget),
            quick_parts::beginning() + quick_parts::fetch() + in_session({}, k_poll),
            quick_parts::beginning() + quick_parts::read() + in_session(k_read_first, k_read),
            in_session({}, k_reap),
            quick_parts::beginning() + quick_parts::create(false) + quick_parts::remove() +
                in_session(k_write_first, write + std::string{k_written})};
}

}  // namespace

const std::string& text_of(script which) {
    static const auto& k_texts = base::never_destroyed(all_texts());
    return k_texts.at(static_cast<std::size_t>(which));
}

}  // namespace turnstile::redis
