-- When a wallet next has something due.
local timing = {}

-- The µs before which nothing is due. What begins later lasts for the shortest period or longer.
function timing.next_us()
  local periods, lag = wallet.conf.periods_us, wallet.lags.report
  local shortest = math.min(periods.message, periods.call, periods.report)
  local next_us = wallet.now + math.max(settings.SECOND_US, shortest)
  next_us = earliest(next_us, wallet.tag .. ':deadlines')
  next_us = earliest(next_us - lag, wallet.tag .. ':parked') + lag
  local waits = periods.report + lag
  next_us = earliest(next_us - waits, wallet.tag .. ':unpaid') + waits
  for _, period in ipairs(clock.PERIODS) do
    if wallet.lags[period] > 0 then next_us = math.min(next_us, wallet.settles[period]) end
  end
  if wallet.grants then next_us = math.min(next_us, wallet.grants[1].expires + wallet.lags.message) end
  return next_us + 1
end
