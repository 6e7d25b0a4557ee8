-- SPDX-License-Identifier: Apache-2.0
-- Reads with one command all fields that a request with a single write needs.
if #ARGV == 12 then
  if band(flags, flag.sequential) ~= 0 then
    load('s' .. sid, 'q' .. sid, 'z', 'd', parent, 'k' .. parent)
  else
    load('s' .. sid, 'q' .. sid, 'z', 'd', parent, path, 'k' .. parent, 'w' .. path, 'k' .. path)
  end
end
