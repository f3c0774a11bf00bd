--[[ billing/create
Purpose: Creates a wallet's data, or reports that it exists. A newer generation replaces an older one.
KEYS as billing/destroy
ARGV[1] generation         a whole number, greater than that of the data that is there
ARGV[2] status             o open, f frozen, c closed, r recovering
ARGV[3] columns            the settings as conf from column 2
ARGV[4] days               coming midnights of the account's zone, s since 1970, joined by spaces
ARGV[5] script_sha         SHA-1 of billing/hold
ARGV[6] log_limit          entries
ARGV[7] balance            as SQL has it; below 0 where credit is used
ARGV[8] receivable         as SQL has it
ARGV[9] credit             the credit limit, units
ARGV[10] grants            promotional credit as SQL has it (grants.lua); in the balance
Reply: [1, answer]; created, exists (this generation is there already, nothing was done)
Errors: -1 "other generation <n>" (a newer one is there), "malformed …"
Complexity: O(1), what is removed in the background
Version: 1
]]
local generation, letter, columns, midnights = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local sha, log_limit, balance, receivable = ARGV[5] or '', ARGV[6] or '', ARGV[7] or '', ARGV[8] or ''
local credit, granted = ARGV[9] or '', ARGV[10] or ''
if not string.find(generation, '^%d+$') then return checks.refusal('malformed generation') end
if not settings.STATUS[letter] then return checks.refusal('malformed status') end
if not settings.are_columns(columns) then return checks.refusal('malformed columns') end
if not checks.is_units(log_limit) or not checks.is_balance(balance) or not checks.is_units(receivable)
  or not checks.is_units(credit) or not grants.is_text(granted) then
  return checks.refusal('malformed figures')
end
local tag = KEYS[1]
local there, last, has_conf = unpack(redis.call('HMGET', tag, 'generation', 'clock', 'conf'))
if there and has_conf then
  if there == generation then return { '1', 'exists' } end
  if there + 0 > generation + 0 then return checks.refusal('other generation ' .. there) end
end

local at = string.format('%d', now_us(last))
redis.call('UNLINK', unpack(wallet.keys(tag)))
redis.call('HSET', tag, 'generation', generation, 'conf', letter .. columns, 'seq', 0, 'clock', at, 'drained', 0,
  'dropped', 0, 'bal', balance, 'pend', 0, 'held', 0, 'receivable', receivable, 'spent', 0, 'batch', 0,
  'batch_first', 0, 'batch_last', 0, 'batch_amount', 0, 'days', midnights, 'script_version', VERSION,
  'script_sha', sha, 'log_limit', log_limit, 'credit', credit,
  'grants', granted)
redis.pcall('PUBLISH', tag .. ':wake', '')
tell_timers(tag)
return { '1', 'created' }
