-- The earliest time at which something is due, by what there is now; whatever begins later lasts at least as long as
-- a permit, or as two periods of reporting.
local next_us = now + (fair and math.min(length, 2 * period) or length)
local first = tonumber(call('ZRANGE', PERMITS, 0, 0, 'WITHSCORES')[2])
if first then
  next_us = math.min(next_us, lag == 0 and first or math.min(first + lag, math.max(first, settles)))
end
if fair and lag == 0 then next_us = earliest(next_us - 2 * period, SEEN) + 2 * period end
flat = call('HGETALL', BATCHES)
for i = 2, #flat, 2 do
  local status, ends, closed = sub(flat[i], 1, 1), sub(flat[i], 2, 17), sub(flat[i], 18)
  if status == 'o' or status == 'p' then
    next_us = math.min(next_us, ends + lag)
  elseif closed == '' then
    next_us = math.min(next_us, now + 1000000) -- its running tasks end by and by
  end
end
local f = call('HMGET', GATE, 'open_at', 'loaded', 'adapt', 'win_at')
if sub(conf, 1, 1) == 'r' and f[1] and f[2] == '1' then next_us = math.min(next_us, f[1] + lag) end
local interval = sub(conf, 1, 1) == 'o' and sub(conf, 4, 4) == '1' and string.match(f[3] or '', '(%d+)$')
if interval then next_us = math.min(next_us, (f[4] or 0) + interval * 1000000) end
