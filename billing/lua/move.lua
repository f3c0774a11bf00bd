--[[ billing/move
Purpose: Money in or out, once for each operation id: the receivable is paid first from what comes in;
  what goes out takes what is there, the rest is owed (a cash refund is refused instead).
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
--@include open
local OPERATIONS = KEYS[5] or ACCT .. ':operations'
local operation, kind, amount = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
local comes = kind == 'recharge' or kind == 'credit'
if operation == '' or #operation > 80 or find(operation, '[^!-~]') or not (comes or kind == 'debit'
  or kind == 'chargeback' or kind == 'cash_refund' or kind == 'by_hand')
  or not find(amount, '^[1-9]%d*$') or #amount > 16 or amount + 0 >= 9007199254740992 then
  return { '-1', 'malformed move' }
end
local owed = call('HGET', ACCT, 'receivable') + 0
local receipt = call('HGET', OPERATIONS, operation)
if receipt then
  local was, how_much, effect, owing, answer = match(receipt, '^([^\t]*)\t(%d*)\t(-?%d*)\t(-?%d*)\t([^\t]*)')
  if was ~= kind or how_much ~= amount then answer, effect, owing = 'conflict', '0', '0'
  elseif answer == 'applied' then answer = 'repeat' end
  return { '1', fmt('%d', bal), fmt('%d', seq), answer, effect, owing, fmt('%d', owed) }
end
local units, answer, effect, owing = amount + 0, 'applied', 0, 0
if not comes and units > bal then
  --@include end_due_now
end
if comes then
  owing = -(owed < units and owed or units)
  effect = units + owing
  if bal + held + units >= 9007199254740992 then answer, effect, owing = 'too large', 0, 0 end
elseif kind == 'cash_refund' and units > bal then
  -- Kept, so that a late repetition does not pay what was refused.
  answer = 'insufficient balance'
  call('HSET', OPERATIONS, operation, kind .. '\t' .. amount .. '\t0\t0\t' .. answer)
  call('RPUSH', KEYS[6] or ACCT .. ':finals', at .. 'o' .. operation)
else
  effect = -(bal < units and bal or units)
  owing = units + effect
  if owed + owing >= 9007199254740992 then answer, effect, owing = 'too large', 0, 0 end
end
if answer == 'applied' then
  bal, receivable, seq = bal + effect, owed + owing, seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', kind .. '\t' .. operation .. '\t' .. fmt('%d', effect)
    .. '\t0\t\t\t0\t\t\t\t\t0\t\t\t0\t' .. fmt('%d', owing))
  call('HSET', OPERATIONS, operation, kind .. '\t' .. amount .. '\t' .. fmt('%d', effect) .. '\t' .. fmt('%d', owing)
    .. '\t' .. answer)
end
--@include close
return { '1', fmt('%d', bal), fmt('%d', seq), answer, fmt('%d', effect), fmt('%d', owing),
  fmt('%d', receivable or owed) }
