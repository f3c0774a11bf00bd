-- The clock by which deadlines are judged. Time is trusted while it moves on from the last change. A gap of more than 3
-- s is a lag: the clock jumped, or no request came. Deadlines of calls are then postponed by the lag, by one lease
-- length or less, and those of registrations by 10 minutes or less. So a clock that jumps ahead ends no call early. A
-- step back reduces the lag (decision 0004).
-- Rarely needed.
local clock = {}

clock.BELIEVED_US = 3000000
clock.CONTACTS_US = 600000000

-- Updates the lags in the pool's settings after the clock has moved ahead by this much. pool.close writes them.
function clock.step(ahead)
  local conf = pool.conf
  local longest_us = math.max(conf.lease_ms, conf.suspect_ms) * 1000
  local lags = clock.after_step(conf.calls_lag, conf.calls_settle, ahead, longest_us)
    .. clock.after_step(conf.contacts_lag, conf.contacts_settle, ahead, clock.CONTACTS_US)
  -- what the earlier clock scheduled is checked again (upkeep.lua, repair.lua)
  local anew = columns.time(0) .. columns.time(0)
  local put_back = ahead < 0 and '1' or conf.put_back
  pool.conf = settings.read(columns.with(conf.text, 'looks', anew .. lags .. put_back))
end

-- A lag and the time at which it is settled, as two columns, after the clock has moved ahead by this much.
function clock.after_step(lag, settle, ahead, longest_us)
  if ahead < 0 then
    settle = settle + ahead
  elseif lag == 0 or pool.now >= settle then
    lag, settle = 0, pool.now + longest_us
  end
  lag = lag + ahead
  if lag < clock.BELIEVED_US then lag, settle = 0, 0 end
  return columns.time(lag) .. columns.time(settle)
end

-- The time up to which deadlines of calls, offers and openings have passed.
function clock.calls_due()
  return pool.now - clock.calls_lag()
end

function clock.calls_lag()
  return pool.now < pool.conf.calls_settle and pool.conf.calls_lag or 0
end

-- The same for registrations and for records that expire.
function clock.contacts_due()
  return pool.now - clock.contacts_lag()
end

function clock.contacts_lag()
  return pool.now < pool.conf.contacts_settle and pool.conf.contacts_lag or 0
end

-- When the end of a call with the deadline `ends` is due.
function clock.call_ends(ends)
  return clock.delayed(ends, clock.calls_lag(), pool.conf.calls_settle)
end

function clock.contact_ends(ends)
  return clock.delayed(ends, clock.contacts_lag(), pool.conf.contacts_settle)
end

function clock.delayed(ends, lag, settle)
  if lag == 0 then return ends end
  return math.min(ends + lag, math.max(ends, settle))
end
