--[[ billing/sweep
Purpose: What time brings, a bounded piece at a time: unsent holds are cancelled, sent ones without a
  report expire, parked reports become orphans, unpaid session messages end.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
KEYS[6] {acct}:unpaid     ZSET    as billing/session
ARGV[1] limit             of each kind at most, 1 to 1 000
Reply: [1, more, cancelled, expired, orphans, unpaid that ended]; more = 1: call again at once
Errors: -1 "no such wallet", "script outdated …", "malformed limit"
Complexity: O(limit × log n)
Version: 1
]]
--@include open
local PARKED, UNPAID = KEYS[5] or ACCT .. ':parked', KEYS[6] or ACCT .. ':unpaid'
local limit = tonumber(ARGV[1])
if not limit or limit < 1 or limit > 1000 or limit % 1 ~= 0 then return { '-1', 'malformed limit' } end
local count = { c = 0, e = 0 }
local ids = call('ZRANGEBYSCORE', DEADLINES, '-inf', '(' .. at, 'LIMIT', 0, limit)
local orphans = call('ZRANGEBYSCORE', PARKED, '-inf', '(' .. at, 'LIMIT', 0, limit)
local oldest = fmt('%d', now - sub(conf, 42, 48) * 1000000)
local unpaid = call('ZRANGEBYSCORE', UNPAID, '-inf', '(' .. oldest, 'LIMIT', 0, limit)
if #ids > 0 then
  --@include read_states
  for _, id in ipairs(ids) do
    local st = states[id]
    local before = st
    if st then
      --@include by_time
    end
    if st ~= before then
      count[sub(st, 1, 1)] = count[sub(st, 1, 1)] + 1
    elseif st and find('hs', sub(st, 1, 1), 1, true) then
      -- The settings were made longer meanwhile: due later.
      local seconds = sub(st, 1, 1) == 's' and sub(conf, 42, 48) or sub(st, 2, 2) == 'c' and sub(conf, 35, 41)
        or sub(conf, 28, 34)
      due[#due + 1], due[#due + 2] = fmt('%d', sub(st, 8, 23) + seconds * 1000000), id
    else
      done[#done + 1] = id
    end
  end
  --@include write_states
end
for _, id in ipairs(orphans) do
  local word = match(call('HGET', MESSAGES, id) or '', '|([fd][^|!]*)') or 'f'
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'flag\t' .. id .. '\t0\t0\t\tm\t0\t\t\t\t\t0\torphan\t'
    .. (word == 'f' and 'failed' or sub(word, 2)) .. '\t0')
end
if #orphans > 0 then
  call('HDEL', MESSAGES, unpack(orphans))
  call('ZREM', PARKED, unpack(orphans))
end
for _, id in ipairs(unpaid) do
  local st = call('HGET', MESSAGES, id)
  local quoted, outcome, facts, prices = match(st, '^(%d+)|([^|]*)|([^|]*)|(.*)$', 24)
  seq = seq + 1
  call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'expire\t' .. id .. '\t0\t0\te\ts\t' .. quoted .. '\t' .. facts
    .. '\t\t0\t\tdeadline')
  call('HSET', MESSAGES, id, 'es' .. sub(st, 3, 7) .. at .. quoted .. '|' .. outcome .. '|' .. facts .. '|' .. prices)
end
if #unpaid > 0 then call('ZREM', UNPAID, unpack(unpaid)) end
--@include close
local more = #ids == limit or #orphans == limit or #unpaid == limit
return { '1', more and '1' or '0', fmt('%d', count.c), fmt('%d', count.e), fmt('%d', #orphans), fmt('%d', #unpaid) }
