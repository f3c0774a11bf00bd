-- Leases: a call runs until its deadline, in {pool}:timers by ms. Each session of a switch has its own band there, so
-- the calls of one session are one range.
local leases = {}

leases.BAND = 4398046511104 -- 2^42 ms: a band holds times up to the year 2109
leases.NO_SWITCH = 1000 -- the session of calls without a switch

function leases.begin(number, session)
  leases.set(number, session, math.floor(pool.now / 1000) + pool.conf.lease_ms)
end

function leases.set(number, session, deadline_ms)
  redis.call('ZADD', pool.tag .. ':timers', string.format('%d', session * leases.BAND + deadline_ms), number)
end

function leases.remove(number)
  redis.call('ZREM', pool.tag .. ':timers', number)
end

-- The number's session and deadline in ms, or nil if it has no lease.
function leases.of(number)
  local score = redis.call('ZSCORE', pool.tag .. ':timers', number)
  if not score then return nil, nil end
  return math.floor(score / leases.BAND), score % leases.BAND
end
