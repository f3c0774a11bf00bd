--[[ billing/sweep
Purpose: What time brings, a bounded piece at a time: unsent holds are cancelled, sent ones without a
  report expire, parked reports become orphans, unpaid session messages end. Nothing in safe mode.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
KEYS[6] {acct}:unpaid     ZSET    as billing/session
ARGV[1] limit             of each kind at most, 1 to 1 000
Reply: [1, more, cancelled, expired, orphans, unpaid that ended, now, next]; more = 1: call again at once; now and
  next in µs: nothing is due before next
Errors: -1 "no such wallet", "script outdated …", "malformed limit"
Complexity: O(limit × log n)
Version: 1
]]
--@include open
local PARKED, UNPAID = KEYS[5] or ACCT .. ':parked', KEYS[6] or ACCT .. ':unpaid'
local limit = tonumber(ARGV[1])
if not limit or limit < 1 or limit > 1000 or limit % 1 ~= 0 then return { '-1', 'malformed limit' } end
-- While it is loaded from the books, or waits for that, nothing ends; billing/status tells the timers when it opens.
if sub(conf, 1, 1) == 'r' then return { '1', '0', '0', '0', '0', '0', at, fmt('%d', now + 60000000) } end
local period, lag = sub(conf, 42, 48) * 1000000, lags and lags[3] or 0
local orphans = call('ZRANGEBYSCORE', PARKED, '-inf', '(' .. fmt('%d', now - lag), 'LIMIT', 0, limit)
local oldest = fmt('%d', now - period - lag)
local unpaid = call('ZRANGEBYSCORE', UNPAID, '-inf', '(' .. oldest, 'LIMIT', 0, limit)
-- What a clock that was ahead began counts from now, and what was put off by it is due as before: a piece of the holds.
local place = call('HGET', ACCT, 'ahead')
if place then
  local page = call('ZSCAN', DEADLINES, place, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local id = page[2][i]
    local st = call('HGET', MESSAGES, id)
    if st and find('hs', sub(st, 1, 1), 1, true) then
      if sub(st, 8, 23) + 0 > now then
        st = sub(st, 1, 7) .. at .. sub(st, 24)
        call('HSET', MESSAGES, id, st)
      end
      --@include ends
      call('ZADD', DEADLINES, fmt('%d', ends), id)
    end
  end
  place = page[1]
  if place == '0' then call('HDEL', ACCT, 'ahead') else call('HSET', ACCT, 'ahead', place) end
end
local states, sets, due, done, most = {}, {}, {}, {}, limit
--@include end_due
--@include write_states
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
local more = now < acct[3] + 0 or place and place ~= '0' or #over == limit or #orphans == limit or #unpaid == limit
-- The earliest time at which something is due; whatever begins later lasts as long as the shortest period.
local next_us = now + math.max(1, math.min(sub(conf, 28, 34) + 0, sub(conf, 35, 41) + 0, sub(conf, 42, 48) + 0)) * 1000000
next_us = earliest(next_us, DEADLINES)
next_us = earliest(next_us - lag, PARKED) + lag
next_us = earliest(next_us - period - lag, UNPAID) + period + lag
for i = 1, 3 do
  if lags and lags[i] > 0 then next_us = math.min(next_us, settles[i]) end
end
return { '1', more and '1' or '0', fmt('%d', ended.c), fmt('%d', ended.e), fmt('%d', #orphans), fmt('%d', #unpaid), at,
  fmt('%d', next_us + 1) }
