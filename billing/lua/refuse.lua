--[[ billing/refuse
Purpose: Gives a movement up for good: its operation id gets a receipt that says so, unless it was applied
  before. From then on `move` does nothing under this id, whoever comes with it.
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
--@include look
local call, find, match = redis.call, string.find, string.match
local operation, kind, amount = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if operation == '' or #operation > 80 or find(operation, '[^!-~]') or not find(kind, '^[%l_]+$') or #kind > 16
  or not find(amount, '^[1-9]%d*$') or #amount > 16 then
  return { '-1', 'malformed refuse' }
end
local OPERATIONS = KEYS[2] or KEYS[1] .. ':operations'
local receipt = call('HGET', OPERATIONS, operation)
if receipt then
  local was, how_much, said = match(receipt, '^([^\t]*)\t(%d*)\t%-?%d*\t%-?%d*\t([^\t]*)')
  if was ~= kind or how_much ~= amount then return { '1', 'conflict' } end
  if said == 'applied' then return { '1', 'repeat' } end
else
  local at = int(now_us(call('HGET', KEYS[1], 'clock')))
  call('RPUSH', KEYS[3] or KEYS[1] .. ':finals', at .. 'o' .. operation)
end
call('HSET', OPERATIONS, operation, kind .. '\t' .. amount .. '\t0\t0\tcancelled')
return { '1', 'cancelled' }
