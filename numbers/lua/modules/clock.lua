-- Which time ends are held against. The clock is believed while it goes on from the time of the
-- change before. A gap of more than 3 s (the clock jumped, or nobody asked) is a lag: ends of calls
-- wait for it, for one lease's length at most, and ends of registrations for 10 minutes at most. So a
-- jump ends nobody's call early. A step back takes its length from the lag (decision 0004).
-- Rarely needed.
local clock = {}

clock.BELIEVED_US = 3000000
clock.CONTACTS_US = 600000000

-- The clock has gone ahead by so much: the pool's settings have other lags now. pool.close writes them.
function clock.step(ahead)
  local conf = pool.conf
  local longest_us = math.max(conf.lease_ms, conf.suspect_ms) * 1000
  local lags = clock.after_step(conf.calls_lag, conf.calls_settle, ahead, longest_us)
    .. clock.after_step(conf.contacts_lag, conf.contacts_settle, ahead, clock.CONTACTS_US)
  -- What was planned by the clock before is looked at anew (upkeep.lua, repair.lua).
  local anew = columns.time(0) .. columns.time(0)
  local put_back = ahead < 0 and '1' or conf.put_back
  pool.conf = settings.read(columns.with(conf.text, 'looks', anew .. lags .. put_back))
end

-- A lag and the time at which it settles, as two columns, after the clock has gone ahead by so much.
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

-- Calls, offers and openings that end up to this time have ended.
function clock.calls_due()
  return pool.now - clock.calls_lag()
end

function clock.calls_lag()
  return pool.now < pool.conf.calls_settle and pool.conf.calls_lag or 0
end

-- The same of registrations, and of what is kept for some time.
function clock.contacts_due()
  return pool.now - clock.contacts_lag()
end

function clock.contacts_lag()
  return pool.now < pool.conf.contacts_settle and pool.conf.contacts_lag or 0
end

-- When a call's end at `ends` is due.
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
