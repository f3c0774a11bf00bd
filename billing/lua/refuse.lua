--[[ billing/refuse
Purpose: Gives up a movement permanently: unless it was applied before, its operation ID gets a receipt. From then on,
  `move` does nothing for this ID.
KEYS[1] {acct}             HASH  as billing/hold
KEYS[2] {acct}:operations  HASH  as billing/pay_unpaid
KEYS[3] {acct}:finals      LIST  as billing/pay_unpaid
ARGV[1] operation_id
ARGV[2] kind               as billing/move
ARGV[3] amount             units, from 1
Reply: [1, answer]; answer cancelled, repeat (it was applied: too late), conflict
Errors: -1 "no such wallet", "script outdated …", "malformed refuse"
Complexity: O(1)
Version: 1
]]
local KIND_BYTES, AMOUNT_BYTES = 16, 16
local operation, kind, amount = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local is_kind = #kind <= KIND_BYTES and string.find(kind, '^[%l_]+$')
local is_amount = #amount <= AMOUNT_BYTES and string.find(amount, '^[1-9]%d*$')
if not checks.is_id(operation) or not is_kind or not is_amount then return checks.refusal('malformed refuse') end
local refusal, last = wallet.look(KEYS[1], 'clock')
if refusal then return refusal end

local receipt = receipts.of(operation)
if receipt then
  if receipt.kind ~= kind or receipt.amount ~= amount then return { '1', 'conflict' } end
  if receipt.answer == 'applied' then return { '1', 'repeat' } end
else
  finals.add_receipt(string.format('%d', now_us(last)), operation)
end
receipts.write(operation, receipts.record(kind, amount, '0', '0', 'cancelled'))
return { '1', 'cancelled' }
