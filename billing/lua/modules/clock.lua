-- How far the clock is believed. It is while it goes on from the last time that this wallet saw; the timers visit one
-- with open holds each minute. If it is ahead of that by more than 90 s, it jumped or nobody asked: of such a gap 90 s
-- are believed, half a period at most, and the rest is a lag. Open holds wait for it, for one of their own periods at
-- most. So there is a lag for each period, and a time at which it settles: wallet.lags, wallet.settles.
local clock = {}

clock.BELIEVED_US = 90000000
clock.PERIODS = { 'message', 'call', 'report' } -- unsent message, unsent call, report: as the hash's field has them
clock.DOUBT = 'c16c16c16c16c16c16' -- lag and begin of each period
clock.NO_LAGS = { message = 0, call = 0, report = 0 }

-- Sets lags, settles and new_doubt of the wallet. `doubt`: the field as the call before has left it.
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

-- Whether something waits for it: an open hold, promotional credit that expires, a day that has a limit.
function clock.matters()
  return wallet.conf.daily_limit > 0 or wallet.grants ~= nil or holds.are_open()
end

-- How far the clock is ahead of what was seen; 0 where that is believed, or nothing waits for it: no open hold, no
-- promotional credit, and no midnight where a day has a limit.
function clock.gap()
  local gap = wallet.now - wallet.last
  if gap <= clock.BELIEVED_US then return 0 end
  local has_midnight = wallet.conf.daily_limit > 0 and wallet.now >= wallet.conf.midnight_us
  if not has_midnight and not wallet.grants and not holds.are_open() then return 0 end
  return gap
end

-- Keeps what is new of the doubt. A clock that is behind was ahead: a sweep looks at what that began (repair.lua).
function clock.keep()
  if wallet.now < wallet.last then redis.call('HSET', wallet.tag, 'clock', wallet.at, 'ahead', 0) end
  if wallet.new_doubt then redis.call('HSET', wallet.tag, 'clock', wallet.at, 'doubt', wallet.new_doubt) end
end
