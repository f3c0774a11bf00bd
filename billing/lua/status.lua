--[[ billing/status
Purpose: Opens, freezes, closes a wallet, or puts it into safe mode.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
ARGV[1] status            o open, f frozen, c closed, r recovering
ARGV[2] reason            for the history
ARGV[3] operation_id      for the history
ARGV[4] generation        of the data that is meant, or empty: whatever stands there
Reply: [1, answer]; changed, repeat
Errors: -1 "no such wallet", "script outdated …", "malformed status", "other generation <n>"
Complexity: O(1)
Version: 1
]]
--@include open
local status, operation = ARGV[1] or '', ARGV[3] or ''
if not find(status, '^[ofcr]$') or #operation > 80 or find(operation, '[^!-~]') then
  return { '-1', 'malformed status' }
end
if ARGV[4] and ARGV[4] ~= '' then
  local there = call('HGET', ACCT, 'generation')
  if there ~= ARGV[4] then return { '-1', 'other generation ' .. there } end
end
local reason = string.gsub(sub(ARGV[2] or '', 1, 600), '[%c|]', ' ')
local was = sub(conf, 1, 1)
if status == was then return { '1', 'repeat' } end
conf_after = status .. sub(conf, 2)
seq = seq + 1
call('HSET', ACCT, 'reason', reason)
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'status\t' .. operation .. '\t0\t0\t\t\t0\t\t\t\t' .. status
  .. '\t0\t\t' .. reason)
--@include close
if was == 'r' then redis.pcall('PUBLISH', 'timers:new', ACCT) end -- nothing has ended meanwhile
return { '1', 'changed' }
