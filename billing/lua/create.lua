--[[ billing/create
Purpose: Makes a wallet's data, or tells that it is there. A newer generation removes an older one's.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:parked      ZSET    as billing/hold
KEYS[6] {acct}:unpaid      ZSET    as billing/session
KEYS[7] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[8] {acct}:finals      LIST    as billing/pay_unpaid
ARGV[1] generation         a whole number, greater than that of the data that is there
ARGV[2] status             o open, f frozen, c closed, r recovering
ARGV[3] columns            the settings as conf from column 2
ARGV[4] days               coming midnights of the account's zone, s since 1970, joined by spaces
ARGV[5] script_sha         SHA-1 of billing/hold
ARGV[6] log_limit          entries
ARGV[7] balance            what can be spent, as SQL has it
ARGV[8] receivable         as SQL has it
Reply: [1, answer]; created, exists (this generation is there already, nothing was done)
Errors: -1 "other generation <n>" (a newer one is there), "malformed …"
Complexity: O(1), what is removed in the background
Version: 1
]]
local call, find = redis.call, string.find
local generation, status, columns = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if not find(generation, '^%d+$') then return { '-1', 'malformed generation' } end
if not find(status, '^[ofcr]$') then return { '-1', 'malformed status' } end
if #columns ~= 75 or find(columns, '%D') then return { '-1', 'malformed columns' } end
for i = 6, 8 do
  if not find(ARGV[i] or '', '^%d+$') or #ARGV[i] > 16 or ARGV[i] + 0 >= 9007199254740992 then
    return { '-1', 'malformed figures' }
  end
end
local there = call('HMGET', KEYS[1], 'generation', 'clock', 'conf')
if there[3] and there[1] then
  if there[1] == generation then return { '1', 'exists' } end
  if there[1] + 0 > generation + 0 then return { '-1', 'other generation ' .. there[1] } end
end
local at = int(now_us(there[2]))
for i, suffix in ipairs({ ':messages', ':deadlines', ':log', ':parked', ':unpaid', ':operations', ':finals' }) do
  call('UNLINK', KEYS[i + 1] or KEYS[1] .. suffix)
end
call('UNLINK', KEYS[1])
call('HSET', KEYS[1], 'generation', generation, 'conf', status .. columns, 'seq', 0, 'clock', at, 'drained', 0,
  'dropped', 0, 'bal', ARGV[7], 'pend', 0, 'held', 0, 'receivable', ARGV[8], 'spent', 0, 'batch', 0, 'batch_first', 0,
  'batch_last', 0, 'batch_amount', 0, 'days', ARGV[4] or '', 'script_version', VERSION, 'script_sha', ARGV[5] or '',
  'log_limit', ARGV[6])
redis.pcall('PUBLISH', KEYS[1] .. ':wake', '')
redis.pcall('PUBLISH', 'timers:new', KEYS[1])
return { '1', 'created' }
