--[[ billing/destroy
Purpose: Removes a wallet's data, so that every command answers "no such wallet".
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:parked      ZSET    as billing/hold
KEYS[6] {acct}:unpaid      ZSET    as billing/session
KEYS[7] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[8] {acct}:finals      LIST    as billing/pay_unpaid
KEYS[9] {acct}:rates       HASH    as billing/allow
ARGV[1] generation         of the data that is there
ARGV[2] seq                of its last entry, or empty: whatever stands there
Reply: [1, answer]; destroyed, repeat (there was none), moved on (there is a newer entry: nothing is done)
Errors: -1 "other generation <n>"
Complexity: O(1), the rest in the background
Version: 1
]]
local call = redis.call
local acct = call('HMGET', KEYS[1], 'generation', 'seq')
local there = acct[1]
if not there then return { '1', 'repeat' } end
if there ~= ARGV[1] then return { '-1', 'other generation ' .. there } end
if ARGV[2] and ARGV[2] ~= '' and ARGV[2] ~= acct[2] then return { '1', 'moved on' } end
for i, suffix in ipairs({ ':messages', ':deadlines', ':log', ':parked', ':unpaid', ':operations', ':finals', ':rates' }) do
  call('UNLINK', KEYS[i + 1] or KEYS[1] .. suffix)
end
call('UNLINK', KEYS[1])
redis.pcall('PUBLISH', KEYS[1] .. ':wake', '')
return { '1', 'destroyed' }
