-- Deadlines up to `due` have come. The clock is believed while it goes on from the time at which the gate was asked
-- last. What it is ahead of that by more than 3 s (it jumped, or nobody asked) is a lag: deadlines wait for it, for one
-- permit's length at most. So a jump ends nobody's permit early, and no slot is lost when nobody sweeps.
-- `doubt` is the gate's field of that name: the lag and the time at which it is settled, 16 digits each; then b from
-- the moment the clock was put back until admission/sweep has corrected what lies in the future.
local lag, settles, length, behind = 0, 0, sub(conf, 13, 18) * 1000000, now < last
if doubt and doubt ~= '' then
  lag, settles, behind = sub(doubt, 1, 16) + 0, sub(doubt, 17, 32) + 0, behind or sub(doubt, 33) == 'b'
end
if now >= settles or settles - now > length then lag, settles = 0, 0 end
if last > 0 and now - last > 3000000 then
  if lag == 0 then settles = now + length end
  lag = lag + now - last - 3000000
end
local due = now - lag
local new_doubt = (lag > 0 or behind) and fmt('%016d%016d', lag, settles) .. (behind and 'b' or '') or ''
