--[[ billing/close_batch
Purpose: Closes the next batch of change entries under its number, or finds the batch that is closed but not yet
  trimmed. Returns its entries.
KEYS[1] {acct}      HASH    as billing/hold; batch, batch_first, batch_last, batch_amount
KEYS[2] {acct}:log  STREAM  as billing/hold
ARGV[1] limit       entries at most, 1 to 5 000
Reply: [1, batch number or 0 (nothing to write), generation, first seq, last seq, sum of the entries, left],
  then for each entry: µs, words; left = entries that did not fit
Errors: -1 "no such wallet", "script outdated …", "malformed limit", "log broken" (an entry of the batch is missing)
Complexity: O(entries)
Full server: runs
Version: 1
]]
local MOST = 5000
local limit = whole(ARGV[1], 1, MOST)
if not limit then return checks.refusal('malformed limit') end
local refusal, generation, seq, drained, number, first, last =
  wallet.look(KEYS[1], 'generation', 'seq', 'drained', 'batch', 'batch_first', 'batch_last')
if refusal then return refusal end

seq, drained, number, first, last = seq + 0, drained + 0, number + 0, first + 0, last + 0
local is_closed = last > drained
if not is_closed then
  if seq == drained then return { '1', '0', generation, '0', '0', '0', '0' } end
  number, first, last = number + 1, drained + 1, math.min(seq, drained + limit)
end
local entries = redis.call('XRANGE', wallet.tag .. ':log', string.format('%d-0', first), string.format('%d-0', last))
if #entries ~= last - first + 1 then return checks.refusal('log broken') end
local amount = 0
for _, entry in ipairs(entries) do amount = amount + string.match(entry[2][4], '^[^\t]*\t[^\t]*\t(-?%d+)') end
local reply = { '1', string.format('%d', number), generation, string.format('%d', first), string.format('%d', last),
  string.format('%d', amount), string.format('%d', seq - last) }
if not is_closed then
  redis.call('HSET', wallet.tag, 'batch', reply[2], 'batch_first', reply[4], 'batch_last', reply[5],
    'batch_amount', reply[6])
end
for _, entry in ipairs(entries) do
  reply[#reply + 1] = entry[2][2]
  reply[#reply + 1] = entry[2][4]
end
return reply
