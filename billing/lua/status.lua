--[[ billing/status
Purpose: Opens, freezes or closes a wallet, or puts it into safe mode.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
ARGV[1] status            o open, f frozen, c closed, r recovering
ARGV[2] reason            for the history
ARGV[3] operation_id      for the history
ARGV[4] generation        of the data that is meant, or empty: whatever is there
Reply: [1, answer]; changed, repeat
Errors: -1 "no such wallet", "script outdated …", "malformed status", "other generation <n>"
Complexity: O(1)
Version: 1
]]
local REASON_BYTES = 600
local letter, reason, operation, generation = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local status = settings.STATUS[letter]
if not status or (operation ~= '' and not checks.is_id(operation)) then return checks.refusal('malformed status') end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end
if generation ~= '' then
  local there = wallet.field('generation')
  if there ~= generation then return checks.refusal('other generation ' .. there) end
end
local before = wallet.conf.status
if status == before then return { '1', 'repeat' } end

local told = string.gsub(string.sub(reason, 1, REASON_BYTES), '[%c|]', ' ')
wallet.new_conf = settings.with_status(wallet.conf, status)
redis.call('HSET', wallet.tag, 'reason', told)
wallet.append('status\t' .. operation .. '\t0\t0\t\t\t0\t\t\t\t' .. letter .. '\t0\t\t' .. told)
wallet.close()
if before == 'recovering' then tell_timers(wallet.tag) end -- nothing has ended meanwhile
return { '1', 'changed' }
