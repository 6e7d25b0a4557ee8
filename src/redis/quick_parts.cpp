// SPDX-License-Identifier: Apache-2.0
#include "redis/quick_parts.hpp"

#include <initializer_list>
#include <string_view>

#include "core/seam/seam.hpp"
#include "redis/records.hpp"
#include "redis/script_numbers.hpp"

namespace turnstile::redis::quick_parts {
namespace {

// The scripts below have these as numbers: a table of names would be made anew by each run.
static_assert(static_cast<int>(core::server_error::ok) == 0);
static_assert(static_cast<int>(core::server_error::no_node) == 1);
static_assert(static_cast<int>(core::server_error::no_auth) == 5);
static_assert(static_cast<int>(core::watch_kind::deleted) == 1);
static_assert(k_part_ephemeral == 1 && k_part_container == 2 && k_part_creator_only == 4);
static_assert(k_znode_read_only == 8 && k_part_sequential == 16 && k_znode_emptied == 128);
// Offsets, from 1, in a znode's record (records.hpp): pzxid 17, owner 41, version 49, the next sequence number 53, the
// number of children 57, the flags k_part_* and k_znode_* 61. Behind its 64 bytes: the owner's identity, of 40 bytes,
// only of a znode that its creator alone may change; and the data.
static_assert(k_record_head == 64);

// What the scripts are told (ARGV). Numbers come as text.
//
// | ARGV    | what                                             |
// |---------|--------------------------------------------------|
// | 1 to 5  | P, session id, its mark, its time-out in microseconds, the caller's identity |
// | 6       | of a write: '1' for a single one; of a read: its kind (d data, e existence, c children) |
// | 7       | of a write: its kind (c create, r remove); of a read: the path |
// | 8       | of a write: the path; of a read: '1' if it is to be watched |
// | 9 to 11 | of a write: the parent, the data, the version ('-1': any) |
// | 12      | of a write: its flags; '17' is ephemeral and sequential (1 + 16), '0' is what a plain removal has |
//
// Masks for what a znode is (its record's last number): 13 ephemeral, creator_only or read_only (1 + 4 + 8), a parent
// that takes no plain child; 12 creator_only or read_only, one of which no plain removal is; 4 creator_only, whose
// identity stands ahead of the data; 130 container and emptied (2 + 128), of which 2 is left for a container that P:r
// does not have yet. struct.unpack(.., 53) begins with `creates`, 57 is the number of children.
//
// Each looks first whether the session is the caller's, whether events wait for it, and at the field "d"
// (`none_before`), an instant before which no session is due. Two conditions let a script go by it.
// `now < none_before`: it has not come, so there is nothing to end.
// `none_before <= until_then`: it stays true behind this script, which sets the caller's deadline to `until_then`. That
// is no earlier than the deadline that it had, and the field is not behind that one. But where the server's clock was
// set back, the new deadline may be the first of all. A field behind it would hide when this session is due: the
// general script has to lower the field.
constexpr std::string_view k_beginning = R"lua(
local N, sid, call = KEYS[1], ARGV[2], redis.call
local t = call('TIME')
local now = t[1] * 1000000 + t[2]
local until_then = now + ARGV[4]
)lua";

// Whether the server is the one that the tree was at (fields "i" and "r", as in script_parts.cpp's `look_at_server`).
constexpr std::string_view k_look = R"lua(
local same = looked and looked + 0 <= now and now < looked + 1000
if not same and id and string.find(call('INFO', 'replication'), 'master_replid:' .. id .. '\r', 1, true) then
  same = type(redis.pcall('HSET', N, 'i', now)) == 'number'
end
)lua";

constexpr std::string_view k_create = R"lua(
if ARGV[6] == '1' and ARGV[7] == 'c' and ARGV[12] == '17' then
  local path, parent = ARGV[8], ARGV[9]
  local v = call('HMGET', N, 's' .. sid, 'q' .. sid, 'z', 'd', parent, 'k' .. parent, 'i', 'r')
  local none_before, p, looked, id = tonumber(v[4] or 0), v[5], v[7], v[8]
)lua";
constexpr std::string_view k_create_rest = R"lua(
  if same and v[1] == ARGV[3] and now < none_before and none_before <= until_then and p and not v[2] and not v[6] then
    local creates, children, what = struct.unpack('<i4i4i4', p, 53)
    if bit.band(what, 13) == 0 and creates ~= 2147483647 then
      path = path .. string.format('%010d', creates)
      local taken = call('HMGET', N, path, 'w' .. path)
      if not taken[1] and not taken[2] then
        local z = (v[3] or 0) + 1
        if z < now then z = now end
        local ms = math.floor(now / 1000)
        local r = struct.pack('<ddddddi4i4i4i4', z, z, z, ms, ms, sid, 0, 0, 0, 1)
        p = string.sub(p, 1, 16) .. struct.pack('<d', z) .. string.sub(p, 25, 52) ..
            struct.pack('<i4i4', creates + 1, children + 1) .. string.sub(p, 61)
        local name = string.sub(path, parent == '/' and 2 or #parent + 2)
        if type(redis.pcall('HSET', N, path, r .. ARGV[10], parent, p, 'z', z)) == 'number' then
          call('SADD', ARGV[1] .. ':c:' .. parent, name)
          call('SADD', ARGV[1] .. ':e:' .. sid, path)
          call('ZADD', KEYS[2], until_then, sid)
          if not lists then return {0, z, none_before - now, '', path, r} end
          return {0, z, none_before - now, '', path, r, 0, string.sub(p, 1, 64), #p - 64,
                  children == 0 and {name} or call('SMEMBERS', ARGV[1] .. ':c:' .. parent)}
        end
      end
    end
  end
end
)lua";

// Deletions go first: they are allowed where the memory is used up, and what follows is, too.
// What those are told at once that watch the znode: the event, under which zxid, and the list of its folder where that is
// short (wake.hpp).
constexpr std::string_view k_removal = R"lua(
local function removal(z, event, parent, head, length, children)
  local parts = {struct.pack('<dI4', z, #event), event}
  if children > 100 then return table.concat(parts) end
  local names = children > 0 and call('SMEMBERS', ARGV[1] .. ':c:' .. parent) or {}
  parts[3] = head
  parts[4] = struct.pack('<I4I4', length, #parent)
  parts[5] = parent
  for i = 1, #names do
    parts[#parts + 1] = struct.pack('<I4', #names[i])
    parts[#parts + 1] = names[i]
  end
  return table.concat(parts)
end
)lua";

constexpr std::string_view k_remove = R"lua(
if ARGV[6] == '1' and ARGV[7] == 'r' and ARGV[12] == '0' and ARGV[11] == '-1' then
  local path, parent = ARGV[8], ARGV[9]
  local watched = 'w' .. path
  local v = call('HMGET', N, 's' .. sid, 'q' .. sid, 'z', 'd', parent, 'k' .. parent, path, 'k' .. path, watched,
                 'i', 'r')
  local none_before, p, n, watchers, looked, id = tonumber(v[4] or 0), v[5], v[7], v[9], v[10], v[11]
)lua";
constexpr std::string_view k_remove_rest = R"lua(
  if same and v[1] == ARGV[3] and now < none_before and none_before <= until_then and p and n and
     not v[6] and not v[8] then
    local creates, children, what = struct.unpack('<i4i4i4', p, 53)
    local owner, _, _, own_children, own = struct.unpack('<di4i4i4i4', n, 41)
    if bit.band(what, 12) == 0 and bit.band(own, 4) == 0 and own_children == 0 then
      local P = ARGV[1]
      local z = (v[3] or 0) + 1
      if z < now then z = now end
      if watchers then call('HDEL', N, path, watched) else call('HDEL', N, path) end
      call('SREM', P .. ':c:' .. parent, string.sub(path, parent == '/' and 2 or #parent + 2))
      if owner ~= 0 then
        call('SREM', P .. ':e:' .. (owner == tonumber(sid) and sid or string.format('%.0f', owner)), path)
      end
      if children == 1 and bit.band(what, 130) == 2 then
        call('ZADD', P .. ':r', 'NX', now, parent)
        what = what + 128
      end
      p = string.sub(p, 1, 16) .. struct.pack('<d', z) .. string.sub(p, 25, 52) ..
          struct.pack('<i4i4i4', creates, children - 1, what) .. string.sub(p, 65)
      call('HSET', N, parent, p, 'z', z)
      local mine, told = '', nil
      if watchers then
        local e = struct.pack('<BI4', 1, #path) .. path
        for to in string.gmatch(watchers, '%d+') do
          call('SREM', P .. ':v:' .. to, watched)
          if to == sid then
            mine = e
          else
            local s = call('HMGET', N, 'q' .. to, 's' .. to)
            call('HSET', N, 'q' .. to, (s[1] or '') .. e)
            if not s[1] then
              told = told or removal(z, e, parent, string.sub(p, 1, 64), #p - 64, children - 1)
              redis.pcall('PUBLISH', P .. ':' .. to, redis.sha1hex(told .. (s[2] or '')) .. told)
            end
          end
        end
      end
      call('ZADD', KEYS[2], until_then, sid)
      if v[2] then
        call('HDEL', N, 'q' .. sid)
        mine = v[2] .. mine
      end
      return {0, z, none_before - now, mine, ''}
    end
  end
end
)lua";

// Where the memory is used up the server refuses what may grow, but not once a script has deleted something.
constexpr std::string_view k_stay = R"lua(
  if type(redis.pcall('ZADD', KEYS[2], until_then, sid)) == 'table' then
    call('HDEL', N, 'q' .. sid)
    call('ZADD', KEYS[2], until_then, sid)
  end
  if v[2] then call('HDEL', N, 'q' .. sid) end
)lua";

constexpr std::string_view k_read = R"lua(
local kind, path = ARGV[6], ARGV[7]
local f = (kind == 'c' and 'k' or 'w') .. path
local v = call('HMGET', N, 's' .. sid, 'q' .. sid, 'z', 'd', path, f, 'i', 'r')
local none_before, looked, id = tonumber(v[4] or 0), v[7], v[8]
)lua";
constexpr std::string_view k_read_begins = R"lua(
if same and v[1] == ARGV[3] and now < none_before and none_before <= until_then then
)lua";
constexpr std::string_view k_read_rest = R"lua(
  local r = v[5]
  local z, back, events, data = tonumber(v[3] or 0), none_before - now, v[2] or '', 65
  if not r and kind ~= 'e' then return {1, z, back, events} end
  if r and bit.band(struct.unpack('<i4', r, 61), 4) ~= 0 then
    data = 105
    if kind ~= 'e' and string.sub(r, 65, 104) ~= ARGV[5] then return {5, z, back, events} end
  end
  if ARGV[8] == '1' and not (v[6] and string.find(' ' .. v[6], ' ' .. sid .. ' ', 1, true)) then
    call('HSET', N, f, (v[6] or '') .. sid .. ' ')
    call('SADD', ARGV[1] .. ':v:' .. sid, f)
  end
  if not r then return {1, z, back, events} end
  local head, length = string.sub(r, 1, 64), #r - data + 1
  if kind == 'd' then return {0, z, back, events, head, length, string.sub(r, data)} end
  if kind == 'e' then return {0, z, back, events, head, length} end
  return {0, z, back, events, head, length,
          struct.unpack('<i4', r, 57) > 0 and call('SMEMBERS', ARGV[1] .. ':c:' .. path) or {}}
end
)lua";

constexpr std::string_view k_fetch = R"lua(
local v = call('HMGET', N, 's' .. sid, 'q' .. sid, 'z', 'd', 'i', 'r')
local none_before, looked, id = tonumber(v[4] or 0), v[5], v[6]
)lua";
constexpr std::string_view k_fetch_begins = R"lua(
if same and v[1] == ARGV[3] and v[2] and now < none_before and none_before <= until_then then
)lua";
// A waiter that is told that a znode has gone lists the folder next: the list comes along where it is short, and the
// event the only one.
constexpr std::string_view k_fetch_rest = R"lua(
  local z, back, q = tonumber(v[3] or 0), none_before - now, v[2]
  if string.byte(q) == 1 and #q == 5 + struct.unpack('<I4', q, 2) then
    local parent = string.match(q, '^(.+)/', 6) or '/'
    local r = call('HGET', N, parent)
    local children, what = 0, 4
    if r then children, what = struct.unpack('<i4i4', r, 57) end
    if bit.band(what, 4) == 0 and children <= 1000 then
      return {0, z, back, q, string.sub(r, 1, 64), #r - 64,
              children > 0 and call('SMEMBERS', ARGV[1] .. ':c:' .. parent) or {}, parent}
    end
  end
  return {0, z, back, q}
end
)lua";

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const auto part : parts) text += part;
    return text;
}

}  // namespace

std::string beginning() {
    return std::string{k_beginning};
}

std::string create(bool lists) {
    return joined(
        {lists ? "local lists = true" : "local lists = false", k_create, k_look, k_create_rest});
}

std::string remove() {
    return joined({k_removal, k_remove, k_look, k_remove_rest});
}

std::string read() {
    return joined({k_read, k_look, k_read_begins, k_stay, k_read_rest});
}

std::string fetch() {
    return joined({k_fetch, k_look, k_fetch_begins, k_stay, k_fetch_rest});
}

}  // namespace turnstile::redis::quick_parts
