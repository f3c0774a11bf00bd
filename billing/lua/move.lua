--[[ billing/move
Purpose: Moves money in or out, once for each operation ID. Money that comes in pays the receivable first. Money that
  goes out is taken from the available balance: own money first, then promotional credit, then credit. The rest is owed.
  A cash refund pays out own money only, and is refused if there is not enough.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[6] {acct}:finals      LIST    as billing/pay_unpaid
ARGV[1] operation_id
ARGV[2] kind               recharge credit debit chargeback cash_refund by_hand
ARGV[3] amount             units, from 1
Reply: [1, bal, seq, answer, effect on what can be spent, effect on the receivable, receivable]; answer
  applied, repeat, conflict, insufficient balance, too large
Errors: -1 "no such wallet", "script outdated …", "malformed move"
Complexity: O(1); where money is short, O(log n) for up to 500 holds that are due
Version: 1
]]
local COMING = { recharge = true, credit = true }
local GOING = { debit = true, chargeback = true, cash_refund = true, by_hand = true }
local operation, kind, amount = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local comes = COMING[kind]
if not checks.is_id(operation) or not (comes or GOING[kind]) or not checks.is_amount(amount) then
  return checks.refusal('malformed move')
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
local repeated = receipts.repeated(operation, kind, amount)
if repeated then return repeated end
local owed = wallet.field('receivable') + 0

-- What of the balance is the account's own.
local function own_money()
  return wallet.grants and wallet.balance - grants.left() or wallet.balance
end

-- What goes out takes promotional credit where own money does not reach.
local function take(units)
  local rest = units - math.max(0, own_money())
  if wallet.grants and rest > 0 then grants.take(rest) end
end

-- The answer, and the effects on what can be spent and on the receivable.
local function decide(units)
  if comes then
    if wallet.total() + wallet.credit + units >= checks.UNITS_END then return 'too large', 0, 0 end
    local paid = math.min(owed, units)
    return 'applied', units - paid, -paid
  end
  local is_cash = kind == 'cash_refund'
  if units > (is_cash and own_money() or wallet.spendable()) then endings.end_due(holds.ENDED_AT_ONCE) end
  if is_cash and units > own_money() then return 'insufficient balance', 0, 0 end
  local taken = math.max(0, math.min(wallet.spendable(), units))
  if owed + units - taken >= checks.UNITS_END then return 'too large', 0, 0 end
  return 'applied', -taken, units - taken
end

local answer, effect, owing = decide(amount + 0)
local effect_text, owing_text = string.format('%d', effect), string.format('%d', owing)
if answer == 'applied' then
  if effect < 0 then take(-effect) end
  wallet.balance, wallet.receivable = wallet.balance + effect, owed + owing
  wallet.append(kind .. '\t' .. operation .. '\t' .. effect_text .. '\t0\t\t\t0\t\t\t\t\t0\t\t\t0\t' .. owing_text)
elseif answer == 'insufficient balance' then
  finals.add_receipt(wallet.at, operation) -- kept, so that a late repetition does not pay what was refused
end
if answer ~= 'too large' then
  receipts.write(operation, receipts.record(kind, amount, effect_text, owing_text, answer))
end
wallet.close()
return receipts.reply(answer, effect_text, owing_text)
