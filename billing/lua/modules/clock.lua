-- How far the clock is trusted. It is trusted while it moves on from the time of the wallet's last operation; the
-- timers visit a wallet with open holds every minute. If it is more than 90 s ahead of that, it jumped, or no request
-- came. Of such a gap, 90 s are trusted (or half a period, if that is shorter), and the rest is a lag. The end of an
-- open hold is postponed by the lag, by one of its own periods or less. So each period has a lag and a time at which it
-- is settled: wallet.lags, wallet.settles.
local clock = {}

clock.BELIEVED_US = 90000000
clock.PERIODS = { 'message', 'call', 'report' } -- unsent message, unsent call, report: the order in the hash
clock.DOUBT = 'c16c16c16c16c16c16' -- lag and beginning of each period
clock.NO_LAGS = { message = 0, call = 0, report = 0 }

-- Sets the wallet's lags, settles and new_doubt. `doubt`: the field as the last operation left it.
function clock.judge(doubt)
  wallet.lags, wallet.settles, wallet.new_doubt = clock.NO_LAGS, nil, nil
  if doubt ~= '' or wallet.now - wallet.last > clock.BELIEVED_US then clock.weigh(doubt) end
end

function clock.weigh(doubt)
  local gap = clock.gap()
  local before = doubt ~= '' and { struct.unpack(clock.DOUBT, doubt) } or {}
  local lags, settles, kept = {}, {}, ''
  for place, period in ipairs(clock.PERIODS) do
    local lag, began = (before[2 * place - 1] or 0) + 0, (before[2 * place] or 0) + 0
    local length = wallet.conf.periods_us[period]
    if wallet.now < began or wallet.now - began >= length then lag, began = 0, 0 end
    if gap > 0 then
      if lag == 0 then began = wallet.now end
      lag = lag + gap - math.min(clock.BELIEVED_US, length / 2)
    end
    lags[period], settles[period] = lag, began + length
    kept = kept .. string.format('%016d%016d', lag, began)
  end
  if not string.find(kept, '[1-9]') then kept = '' end
  wallet.lags, wallet.settles = lags, settles
  if kept ~= doubt then wallet.new_doubt = kept end
end

-- Whether the time matters: there is an open hold, promotional credit that expires, or a day with a limit.
function clock.matters()
  return wallet.conf.daily_limit > 0 or wallet.grants ~= nil or holds.are_open()
end

-- How far the clock is ahead of the last operation. Returns 0 if the difference is trusted, or if nothing is due: no
-- open hold, no promotional credit, and no midnight of a day with a limit.
function clock.gap()
  local gap = wallet.now - wallet.last
  if gap <= clock.BELIEVED_US then return 0 end
  local has_midnight = wallet.conf.daily_limit > 0 and wallet.now >= wallet.conf.midnight_us
  if not has_midnight and not wallet.grants and not holds.are_open() then return 0 end
  return gap
end

-- Stores what has changed. If the clock was set back, it was ahead before, so a sweep corrects what began then
-- (repair.lua).
function clock.keep()
  if wallet.now < wallet.last then redis.call('HSET', wallet.tag, 'clock', wallet.at, 'ahead', 0) end
  if wallet.new_doubt then redis.call('HSET', wallet.tag, 'clock', wallet.at, 'doubt', wallet.new_doubt) end
end
