--[[ billing/grant
Purpose: Adds promotional credit, once for each operation ID. It is spent before the account's own money, until it
  expires.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[6] {acct}:finals      LIST    as billing/pay_unpaid
ARGV[1] operation_id
ARGV[2] promotion          its number in SQL
ARGV[3] amount             units, from 1
ARGV[4] expires            µs since 1970: the last at which it counts
Reply: [1, bal, seq, answer, effect on what can be spent, effect on the receivable, receivable]; answer applied,
  repeat, conflict, too large, too many grants
Errors: -1 "no such wallet", "script outdated …", "malformed grant"
Complexity: O(grants)
Version: 1
]]
local ID_DIGITS, US_DIGITS = 18, 16
local operation, id, amount, expires = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
if not checks.is_id(operation) or not is_digits(id, ID_DIGITS) or not checks.is_amount(amount)
  or not is_digits(expires, US_DIGITS) then
  return checks.refusal('malformed grant')
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
local repeated = receipts.repeated(operation, 'grant', amount)
if repeated then return repeated end
if wallet.total() + wallet.credit + amount >= checks.UNITS_END then return receipts.reply('too large', '0', '0') end
local list = wallet.grants or {}
if #list >= grants.MOST then return receipts.reply('too many grants', '0', '0') end

-- Behind those that expire before it.
local place = 1
while list[place] and list[place].expires <= expires + 0 do place = place + 1 end
table.insert(list, place, { id = id, expires = expires + 0, left = amount + 0 })
wallet.grants = list
wallet.balance = wallet.balance + amount
grants.note(id, amount + 0)
wallet.append('grant\t' .. operation .. '\t' .. amount .. '\t0\t\t\t0\t\t\t\t\t0')
receipts.write(operation, receipts.record('grant', amount, amount, '0', 'applied'))
wallet.close()
tell_timers(wallet.tag) -- it may expire sooner than anything else
return receipts.reply('applied', amount, '0')
