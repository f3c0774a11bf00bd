--[[ billing/load_receipts
Purpose: Puts receipts of operations that the books know back into a wallet in safe mode, so that the
  outbox's orders are not applied a second time.
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
--@include look
local call, find = redis.call, string.find
local acct = call('HMGET', KEYS[1], 'conf', 'clock')
if string.sub(acct[1], 1, 1) ~= 'r' then return { '-1', 'not in safe mode' } end
if #ARGV == 0 or #ARGV > 2500 or #ARGV % 5 ~= 0 then return { '-1', 'malformed receipts' } end
for i = 1, #ARGV, 5 do
  if ARGV[i] == '' or #ARGV[i] > 80 or find(ARGV[i], '[^!-~]') or not find(ARGV[i + 1], '^[%l_]+$')
    or not find(ARGV[i + 2], '^%d+$') or not find(ARGV[i + 3], '^-?%d+$') or not find(ARGV[i + 4], '^-?%d+$') then
    return { '-1', 'malformed receipts' }
  end
end
local at, new = int(now_us(acct[2])), 0
for i = 1, #ARGV, 5 do
  local receipt = table.concat({ ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], 'applied' }, '\t')
  if call('HSETNX', KEYS[2] or KEYS[1] .. ':operations', ARGV[i], receipt) == 1 then
    call('RPUSH', KEYS[3] or KEYS[1] .. ':finals', at .. 'o' .. ARGV[i])
    new = new + 1
  end
end
return { '1', int(new) }
