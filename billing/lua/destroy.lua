--[[ billing/destroy
Purpose: Deletes a wallet's data. Every command then returns "no such wallet".
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
ARGV[2] seq                of its last entry, or empty: whatever is there
Reply: [1, answer]; destroyed, repeat (there was none), moved on (there is a newer entry: nothing is done)
Errors: -1 "other generation <n>"
Complexity: O(1), the rest in the background
Full server: runs
Version: 1
]]
local tag, generation, seq = KEYS[1], ARGV[1] or '', ARGV[2] or ''
local there, last_seq = unpack(redis.call('HMGET', tag, 'generation', 'seq'))
if not there then return { '1', 'repeat' } end
if there ~= generation then return checks.refusal('other generation ' .. there) end
if seq ~= '' and seq ~= last_seq then return { '1', 'moved on' } end
redis.call('UNLINK', unpack(wallet.keys(tag)))
redis.pcall('PUBLISH', tag .. ':wake', '')
return { '1', 'destroyed' }
