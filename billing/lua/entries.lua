--[[ billing/entries
Purpose: One consistent look at the figures and at change entries from a sequence number on.
KEYS[1] {acct}      HASH    as billing/hold
KEYS[2] {acct}:log  STREAM  as billing/hold
ARGV[1] first       sequence number of the first entry wanted
ARGV[2] count       entries at most, 1 to 5 000
Reply: [1, generation, seq, drained, bal, pend, held, receivable], then for each entry: seq, µs, words
Errors: -1 "no such wallet", "script outdated …", "malformed entries"
Complexity: O(entries)
Version: 1
]]
--@include look
local call = redis.call
local first, count = ARGV[1] or '', tonumber(ARGV[2])
if not string.find(first, '^%d+$') or #first > 16 or not count or count < 1 or count > 5000 or count % 1 ~= 0 then
  return { '-1', 'malformed entries' }
end
local acct = call('HMGET', KEYS[1], 'generation', 'seq', 'drained', 'bal', 'pend', 'held', 'receivable')
local reply, place = { '1', unpack(acct) }, 8
for _, entry in ipairs(call('XRANGE', KEYS[2] or KEYS[1] .. ':log', first .. '-0', '+', 'COUNT', count)) do
  reply[place + 1], reply[place + 2] = string.match(entry[1], '^%d+'), entry[2][2]
  reply[place + 3] = entry[2][4]
  place = place + 3
end
return reply
