-- SPDX-License-Identifier: Apache-2.0
-- Queues an event for a session. An event for the caller's own session comes with the script's reply, after the events
-- that are already queued.
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
    call('SREM', prefix .. ':v:' .. to, f)
    if not (told and told[to]) and (owner == '' or owner == (to == sid and me or identity_of(to))) then
      queue(to, kind, path)
    end
  end
  return all
end
local function unwatch(id, f)
  local list = get(f)
  if not list then return end
  local rest = string.gsub(list, '%f[%d]' .. id .. ' ', '')  -- the whole number: other ids may end with it
  put(f, rest ~= '' and rest)
end
