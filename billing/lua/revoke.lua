--[[ billing/revoke
Purpose: Removes what is left of one promotion, once for each operation ID. Units that open holds have used of it and
  return later expire then.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[6] {acct}:finals      LIST    as billing/pay_unpaid
ARGV[1] operation_id
ARGV[2] promotion          its number in SQL
ARGV[3] amount             units that were granted
Reply: as billing/grant; answer applied, repeat, conflict
Errors: -1 "no such wallet", "script outdated …", "malformed revoke"
Complexity: O(grants)
Full server: runs
Version: 1
]]
local ID_DIGITS = 18
local operation, id, amount = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if not checks.is_id(operation) or not is_digits(id, ID_DIGITS) or not checks.is_amount(amount) then
  return checks.refusal('malformed revoke')
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
local repeated = receipts.repeated(operation, 'revoke') -- a rebuild knows what it took, not what was granted
if repeated then return repeated end

local grant, place = grants.find(id)
local left = grant and grant.left or 0
local effect = string.format('%d', -left)
if grant then
  table.remove(wallet.grants, place)
  if not wallet.grants[1] then wallet.grants = nil end
  wallet.has_new_grants = true
end
if left > 0 then
  wallet.balance = wallet.balance - left
  grants.note(id, -left)
end
wallet.append('revoke\t' .. operation .. '\t' .. effect .. '\t0\t\t\t0\t\t\t\t\t0')
receipts.write(operation, receipts.record('revoke', amount, effect, '0', 'applied'))
wallet.close()
return receipts.reply('applied', effect, '0')
