--[[ billing/trim_batch
Purpose: After SQL has committed a closed batch: lowers what is pending by its sum, moves the mark,
  writes down what may be forgotten in 7 days, and trims the log but for a tail that live views read.
KEYS[1] {acct}         HASH    as billing/close_batch
KEYS[2] {acct}:log     STREAM  as billing/hold
KEYS[3] {acct}:finals  LIST    as billing/pay_unpaid
ARGV[1] generation     that was committed
ARGV[2] batch_number   that was committed
ARGV[3] tail           committed entries to keep
Reply: [1, answer, drained]; answer trimmed, repeat
Errors: -1 "no such wallet", "script outdated …", "other generation", "no such batch", "malformed trim_batch"
Complexity: O(entries)
Version: 1
]]
--@include look
local call, sub, match = redis.call, string.sub, string.match
local generation, number, tail = ARGV[1] or '', tonumber(ARGV[2]), tonumber(ARGV[3])
if not number or not tail or tail < 0 or tail % 1 ~= 0 then return { '-1', 'malformed trim_batch' } end
local acct = call('HMGET', KEYS[1], 'generation', 'drained', 'batch', 'batch_first', 'batch_last', 'batch_amount', 'pend')
if acct[1] ~= generation then return { '-1', 'other generation' } end
local drained, last = acct[2] + 0, acct[5] + 0
if number > acct[3] + 0 then return { '-1', 'no such batch' } end
if number < acct[3] + 0 or last <= drained then return { '1', 'repeat', int(drained) } end
local LOG, FINALS = KEYS[2] or KEYS[1] .. ':log', KEYS[3] or KEYS[1] .. ':finals'
local ENDS = { settle = 'm', fail = 'm', expire = 'm', cancel = 'm', session = 'm', recharge = 'o', credit = 'o',
  debit = 'o', chargeback = 'o', cash_refund = 'o', by_hand = 'o' }
local forget = {}
for _, entry in ipairs(call('XRANGE', LOG, acct[4] .. '-0', acct[5] .. '-0')) do
  local at, words = entry[2][2], entry[2][4]
  local kind, id, state = match(words, '^([%l_]+)\t([^\t]*)\t[^\t]*\t[^\t]*\t(%l?)')
  local what = ENDS[kind]
  if what and not (kind == 'session' and state ~= 't') then
    forget[#forget + 1] = at .. what .. id
    if #forget == 1000 then
      call('RPUSH', FINALS, unpack(forget))
      forget = {}
    end
  end
end
if forget[1] then call('RPUSH', FINALS, unpack(forget)) end
call('HSET', KEYS[1], 'drained', acct[5], 'pend', int(acct[7] - acct[6]))
if last - tail > 0 then call('XTRIM', LOG, 'MINID', int(last - tail + 1) .. '-0') end
return { '1', 'trimmed', acct[5] }
