-- The clock is believed while it goes on from the last time that this wallet saw; the timers visit one with open holds
-- each minute. If it is ahead of that by more than 90 s, it jumped or nobody asked: of such a gap 90 s are believed,
-- half a period at most, and the rest is a lag. Open holds wait for it, for one of their own periods at most.
-- Three periods: an unsent message's, an unsent call's, a report's. `doubt` is the field of that name: for each period
-- the lag and its beginning, 16 digits each.
local gap, doubt, kept = now - acct[3], acct[10] or '', ''
if gap <= 90000000 then gap = 0 end
-- A midnight that passed in it waits too, where a day has a limit.
if gap > 0 and (sub(conf, 2, 17) + 0 == 0 or now < sub(conf, 62, 71) * 1000000) and call('ZCARD', DEADLINES) == 0 then gap = 0 end
lags, settles = {}, {}
for i = 1, 3 do
  local lag, began, period = 0, 0, sub(conf, 21 + 7 * i, 27 + 7 * i) * 1000000
  if doubt ~= '' then lag, began = sub(doubt, 32 * i - 31, 32 * i - 16) + 0, sub(doubt, 32 * i - 15, 32 * i) + 0 end
  if now < began or now - began >= period then lag, began = 0, 0 end
  if gap > 0 then
    if lag == 0 then began = now end
    lag = lag + gap - math.min(90000000, period / 2)
  end
  lags[i], settles[i] = lag, began + period
  kept = kept .. fmt('%016d%016d', lag, began)
end
if not find(kept, '[1-9]') then kept = '' end
if kept ~= doubt then doubt_after = kept end
