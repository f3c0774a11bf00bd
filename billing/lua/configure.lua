--[[ billing/configure
Purpose: Writes new settings, the credit limit and the coming midnights. Status, day and figures don't change. After the
  credit limit was lowered, nothing can be spent until the balance is above it again.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
ARGV[1] columns           the settings as conf from column 2
ARGV[2] days              coming midnights of the account's zone, s since 1970, joined by spaces
ARGV[3] log_limit         entries
ARGV[4] script_sha        SHA-1 of billing/hold
ARGV[5] credit            the credit limit in units, or empty to keep it
Reply: [1, "configured"]
Errors: -1 "no such wallet", "script outdated …", "malformed columns", "too large" (a credit limit with which figures
  would not be exact)
Complexity: O(1)
Version: 1
]]
local columns, midnights, log_limit, sha = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local credit = ARGV[5] or ''
if not settings.are_columns(columns) or string.find(midnights, '[^%d ]') or not string.find(log_limit, '^%d+$')
  or (credit ~= '' and not checks.is_units(credit)) then
  return checks.refusal('malformed columns')
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
local limit = credit == '' and wallet.credit or credit + 0
if limit > wallet.credit and wallet.total() + limit >= checks.UNITS_END then return checks.refusal('too large') end

local before = wallet.conf
local is_day_over = wallet.now >= before.midnight_us -- by a clock in doubt: the day ends when it ended
local text = settings.with_columns(before, columns, is_day_over)
redis.call('HSET', wallet.tag, 'conf', text, 'spent', string.format('%d', wallet.spent), 'days', midnights,
  'log_limit', log_limit, 'script_sha', sha, 'script_version', VERSION)
local after = settings.read(text)
for _, period in ipairs(clock.PERIODS) do
  if after.periods_us[period] ~= before.periods_us[period] then
    tell_timers(wallet.tag)
    break
  end
end
if limit ~= wallet.credit then
  wallet.new_conf = text -- a day that has turned in this call is in it
  redis.call('HSET', wallet.tag, 'credit', credit)
  wallet.append('limit\t\t0\t0\t\t\t0\t\t\t\t' .. credit .. '\t0') -- no operation id: it moves nothing
  wallet.close()
end
return { '1', 'configured' }
