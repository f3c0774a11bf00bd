--[[ billing/load_receipts
Purpose: Loads receipts of operations from the books into a wallet in safe mode, so that the outbox's orders are not
  applied a second time.
KEYS[1] {acct}             HASH  as billing/hold
KEYS[2] {acct}:operations  HASH  as billing/pay_unpaid
KEYS[3] {acct}:finals      LIST  as billing/pay_unpaid
ARGV[1+] receipts          for each, at most 500: operation id, kind, amount, effect on what can be spent,
  effect on the receivable
Reply: [1, receipts that were not there]
Errors: -1 "no such wallet", "script outdated …", "not in safe mode", "malformed receipts"
Complexity: O(receipts)
Version: 1
]]
local WORDS, MOST_RECEIPTS = 5, 500
local function is_right(operation, kind, amount, effect, owed)
  return checks.is_id(operation) and string.find(kind, '^[%l_]+$') and string.find(amount, '^%d+$')
    and string.find(effect, '^-?%d+$') and string.find(owed, '^-?%d+$')
end

if #ARGV == 0 or #ARGV % WORDS ~= 0 or #ARGV > MOST_RECEIPTS * WORDS then
  return checks.refusal('malformed receipts')
end
for first = 1, #ARGV, WORDS do
  if not is_right(unpack(ARGV, first, first + WORDS - 1)) then return checks.refusal('malformed receipts') end
end
local refusal, conf, last = wallet.look(KEYS[1], 'conf', 'clock')
if refusal then return refusal end
if settings.read(conf).status ~= 'recovering' then return checks.refusal('not in safe mode') end

local at, new = string.format('%d', now_us(last)), 0
for first = 1, #ARGV, WORDS do
  local operation, kind, amount, effect, owed = unpack(ARGV, first, first + WORDS - 1)
  local receipt = receipts.record(kind, amount, effect, owed, 'applied')
  if redis.call('HSETNX', wallet.tag .. ':operations', operation, receipt) == 1 then
    finals.add_receipt(at, operation)
    new = new + 1
  end
end
return { '1', string.format('%d', new) }
