--[[ billing/entries
Purpose: Reads the figures and the change entries from a sequence number on, consistently.
KEYS[1] {acct}      HASH    as billing/hold
KEYS[2] {acct}:log  STREAM  as billing/hold
ARGV[1] first       sequence number of the first entry wanted
ARGV[2] count       entries at most, 1 to 5 000
Reply: [1, generation, seq, drained, bal, pend, held, receivable, credit], then for each entry: seq, µs, words
Errors: -1 "no such wallet", "script outdated …", "malformed entries"
Complexity: O(entries)
Version: 1
]]
local MOST, SEQ_DIGITS = 5000, 16
local first, count = ARGV[1] or '', whole(ARGV[2], 1, MOST)
if not is_digits(first, SEQ_DIGITS) or not count then return checks.refusal('malformed entries') end
local refusal, generation, seq, drained, balance, pending, held, receivable, credit =
  wallet.look(KEYS[1], 'generation', 'seq', 'drained', 'bal', 'pend', 'held', 'receivable', 'credit')
if refusal then return refusal end

local reply = { '1', generation, seq, drained, balance, pending, held, receivable, credit or '0' }
for _, entry in ipairs(redis.call('XRANGE', wallet.tag .. ':log', first .. '-0', '+', 'COUNT', count)) do
  reply[#reply + 1] = string.match(entry[1], '^%d+')
  reply[#reply + 1] = entry[2][2]
  reply[#reply + 1] = entry[2][4]
end
return reply
