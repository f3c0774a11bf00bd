-- The pool's clock against the last time seen. A gap of more than 3 s (the clock jumped, or nobody asked) is a lag: ends of
-- calls wait for it, for one lease's length at most, and ends of registrations for 10 minutes at most (slow.due). A step
-- back takes its length from the lag, and what was planned by the clock before it is looked at anew; what that put too
-- far ahead is put back (slow.put_back). In: conf, last, now. Out: conf, stepped.
local stepped = last > 0 and (now - last > 3000000 or now < last)
if stepped then
  local times = string.rep('0', 32)
  for from = 136, 168, 32 do -- calls, registrations
    local lag, settles = tonumber(sub(conf, from, from + 15)) or 0, tonumber(sub(conf, from + 16, from + 31)) or 0
    if now < last then settles = settles + now - last
    elseif lag == 0 or now >= settles then
      lag, settles = 0, now + (from == 168 and 600000 or math.max(sub(conf, 6, 15) + 0, sub(conf, 16, 25) + 0)) * 1000
    end
    lag = lag + now - last
    if lag < 3000000 then lag, settles = 0, 0 end
    times = times .. fmt('%016d%016d', lag, settles)
  end
  conf = sub(conf, 1, 103) .. times .. (now < last and '1' or sub(conf, 200, 200))
end
