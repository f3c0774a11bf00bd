--[[ billing/close_batch
Purpose: Closes the next batch of change entries under its number, or finds the one that is closed and
  not yet trimmed; answers its entries.
KEYS[1] {acct}      HASH    as billing/hold; batch, batch_first, batch_last, batch_amount
KEYS[2] {acct}:log  STREAM  as billing/hold
ARGV[1] limit       entries at most, 1 to 5 000
Reply: [1, batch number or 0 (nothing to write), generation, first seq, last seq, sum of the entries, left],
  then for each entry: µs, words; left = entries that did not fit
Errors: -1 "no such wallet", "script outdated …", "malformed limit", "log broken" (an entry of the batch is missing)
Complexity: O(entries)
Version: 1
]]
--@include look
local call, fmt = redis.call, string.format
local limit = tonumber(ARGV[1])
if not limit or limit < 1 or limit > 5000 or limit % 1 ~= 0 then return { '-1', 'malformed limit' } end
local acct = call('HMGET', KEYS[1], 'generation', 'seq', 'drained', 'batch', 'batch_first', 'batch_last')
local seq, drained, number = acct[2] + 0, acct[3] + 0, acct[4] + 0
local first, last = acct[5] + 0, acct[6] + 0
local closed = last > drained
if not closed then
  if seq == drained then return { '1', '0', acct[1], '0', '0', '0', '0' } end
  number, first, last = number + 1, drained + 1, math.min(seq, drained + limit)
end
local entries = call('XRANGE', KEYS[2] or KEYS[1] .. ':log', fmt('%.0f-0', first), fmt('%.0f-0', last))
if #entries ~= last - first + 1 then return { '-1', 'log broken' } end
local amount, reply, place = 0, { '1', int(number), acct[1], int(first), int(last), '', int(seq - last) }, 7
for i = 1, #entries do
  local fields = entries[i][2]
  amount = amount + string.match(fields[4], '^[^\t]*\t[^\t]*\t(-?%d+)')
  reply[place + 1], reply[place + 2] = fields[2], fields[4]
  place = place + 2
end
reply[6] = int(amount)
if not closed then
  call('HSET', KEYS[1], 'batch', reply[2], 'batch_first', reply[4], 'batch_last', reply[5], 'batch_amount', reply[6])
end
return reply
