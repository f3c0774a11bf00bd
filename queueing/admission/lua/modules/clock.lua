-- The clock by which deadlines are judged. It is trusted while it moves on from the last operation's time. If it is
-- more than 3 s ahead of that (it jumped, or no request came), the difference is a lag, and deadlines are postponed by
-- it, for one permit's length or less. So a clock that jumps ahead ends no permit early, and no slot is lost when no
-- sweep runs.
local clock = {}

clock.BELIEVED_US = 3000000
clock.DOUBT = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(%d+)(b?)$'

-- Sets the gate's due, lag, settles and behind. `behind`: the clock was set back, and admission/sweep has not yet
-- corrected all times in the future.
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

-- Stores the doubt for the next operation: lag and settles, 16 digits each; then b = behind. An operation without a
-- change records the time once a second.
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
