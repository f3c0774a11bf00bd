--[[ billing/trim_batch
Purpose: After SQL has committed a closed batch: reduces what is pending by its sum, moves the mark, records what may be
  deleted in 7 days, and trims the log, except for a tail that live views read.
KEYS[1] {acct}         HASH    as billing/close_batch
KEYS[2] {acct}:log     STREAM  as billing/hold
KEYS[3] {acct}:finals  LIST    as billing/pay_unpaid
ARGV[1] generation     that was committed
ARGV[2] batch_number   that was committed
ARGV[3] tail           committed entries to keep
Reply: [1, answer, drained]; answer trimmed, repeat
Errors: -1 "no such wallet", "script outdated …", "other generation", "no such batch", "malformed trim_batch"
Complexity: O(entries)
Full server: runs
Version: 1
]]
local NUMBERS = checks.UNITS_END
-- Of what each kind of entry is the end.
local ENDS = { settle = 'message', fail = 'message', expire = 'message', cancel = 'message', session = 'message',
  recharge = 'operation', credit = 'operation', debit = 'operation', chargeback = 'operation',
  cash_refund = 'operation', by_hand = 'operation', grant = 'operation', revoke = 'operation' }
local generation, number, tail = ARGV[1] or '', whole(ARGV[2], 0, NUMBERS), whole(ARGV[3], 0, NUMBERS)
if not number or not tail then return checks.refusal('malformed trim_batch') end
local refusal, there, drained, batch, first, last, amount, pending =
  wallet.look(KEYS[1], 'generation', 'drained', 'batch', 'batch_first', 'batch_last', 'batch_amount', 'pend')
if refusal then return refusal end
if there ~= generation then return checks.refusal('other generation') end
if number > batch + 0 then return checks.refusal('no such batch') end
if number < batch + 0 or last + 0 <= drained + 0 then return { '1', 'repeat', drained } end

-- What an entry tells of the end of, as an item of `finals`; nil = of nothing.
local function item_of(at, words)
  local kind, id, state = string.match(words, '^([%l_]+)\t([^\t]*)\t[^\t]*\t[^\t]*\t(%l?)')
  local what = ENDS[kind]
  if not what or (kind == 'session' and state ~= messages.LETTER.settled) then return nil end
  return at .. (what == 'message' and finals.MESSAGE or finals.OPERATION) .. id
end

local items, log = {}, wallet.tag .. ':log'
for _, entry in ipairs(redis.call('XRANGE', log, first .. '-0', last .. '-0')) do
  items[#items + 1] = item_of(entry[2][2], entry[2][4])
end
finals.add(items)
redis.call('HSET', wallet.tag, 'drained', last, 'pend', string.format('%d', pending - amount))
if last - tail > 0 then redis.call('XTRIM', log, 'MINID', string.format('%d-0', last - tail + 1)) end
return { '1', 'trimmed', last }
