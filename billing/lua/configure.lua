--[[ billing/configure
Purpose: Writes new settings and the coming midnights; status, day and figures stay as they are.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
ARGV[1] columns           the settings as conf from column 2
ARGV[2] days              coming midnights of the account's zone, s since 1970, joined by spaces
ARGV[3] log_limit         entries
ARGV[4] script_sha        SHA-1 of billing/hold
Reply: [1, "configured"]
Errors: -1 "no such wallet", "script outdated …", "malformed columns"
Complexity: O(1)
Version: 1
]]
--@include open
local columns = ARGV[1] or ''
if #columns ~= 75 or find(columns, '%D') or find(ARGV[2] or '', '[^%d ]') or not find(ARGV[3] or '', '^%d+$') then
  return { '-1', 'malformed columns' }
end
local midnight = sub(conf, 62, 71)
if now < midnight * 1000000 then midnight = sub(columns, 61, 70) end -- else it has passed, by a clock in doubt
call('HSET', ACCT, 'conf', sub(conf, 1, 1) .. sub(columns, 1, 60) .. midnight .. sub(conf, 72, 76), 'spent', fmt('%d', spent),
  'days', ARGV[2] or '', 'log_limit', ARGV[3], 'script_sha', ARGV[4] or '', 'script_version', VERSION)
if sub(columns, 27, 47) ~= sub(conf, 28, 48) then redis.pcall('PUBLISH', 'timers:new', ACCT) end -- other periods
return { '1', 'configured' }
