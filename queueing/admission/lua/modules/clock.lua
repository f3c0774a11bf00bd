-- Which time deadlines are held against. The clock is believed while it goes on from the time of
-- the call before. What it is ahead of that by more than 3 s (it jumped, or nobody asked) is a lag:
-- deadlines wait for it, for one permit's length at most. So a jump ends nobody's permit early,
-- and no slot is lost when nobody sweeps.
local clock = {}

clock.BELIEVED_US = 3000000
clock.DOUBT = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d+)(b?)$'

-- Sets due, lag, settles and behind of the gate. `behind`: the clock was put back, and
-- admission/sweep has not yet corrected all that lies in the future.
function clock.judge()
  local lag, settles, behind = 0, 0, gate.now < gate.last
  if gate.doubt and gate.doubt ~= '' then
    local its_lag, its_settles, its_behind = string.match(gate.doubt, clock.DOUBT)
    lag, settles, behind = its_lag + 0, its_settles + 0, behind or its_behind == 'b'
  end
  local length, ahead = gate.conf.permit_us, gate.now - gate.last
  if gate.now >= settles or settles - gate.now > length then lag, settles = 0, 0 end
  if gate.last > 0 and ahead > clock.BELIEVED_US then
    if lag == 0 then settles = gate.now + length end
    lag = lag + ahead - clock.BELIEVED_US
  end
  gate.lag, gate.settles, gate.behind, gate.due = lag, settles, behind, gate.now - lag
end

-- Keeps what is in doubt for the next call: lag and settles, 16 digits each; then b = behind. A call
-- that changes nothing notes the time once a second.
function clock.keep()
  local doubt = ''
  if gate.lag > 0 or gate.behind then
    doubt = string.format('%016d%016d', gate.lag, gate.settles) .. (gate.behind and 'b' or '')
  end
  if doubt ~= (gate.doubt or '') then
    redis.call('HSET', gate.tag, 'clock', gate.at, 'doubt', doubt)
  elseif math.abs(gate.now - gate.last) > gate.STAMP_US then
    gate.set('clock', gate.at)
  end
end
