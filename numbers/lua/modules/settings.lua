-- A pool's settings, and the times that events store with them: columns of text with fixed widths, read into named
-- fields. numbers/pool/settings.py writes the columns from `near` to `log_limit`.
local settings = {}

settings.COLUMNS = 'c1c1c1c1xc10c10c10c10c10c6c8c8c6c10c10c16c16c16c16c16c16c1'
settings.BYTES = 200
settings.STATUS = { o = 'open', p = 'paused', r = 'recovering' }
settings.LETTER = { open = 'o', paused = 'p', recovering = 'r' }
settings.SECOND_US = 1000000
settings.KNOWN = {} -- text → settings: a library parses each text once, not at each call

-- status: open | paused | recovering. near, charged: settings of the pool. special: a call is waiting, a number is
-- offered, or calls of deleted numbers or of a restarted switch are running. day: s, as text: the end of the day for
-- daily caps. looks_us: when an event next checks registrations and the day. next_call_us: when the next call may end.
-- put_back: 1 = deadlines set by a clock that was ahead must be corrected, 2 = some are corrected, 0 = none must be.
function settings.read(text)
  local known = settings.KNOWN[text]
  if known then return known end
  -- An earlier release wrote fewer columns.
  local whole_text = #text < settings.BYTES and text .. string.rep('0', settings.BYTES - #text) or text
  local status, near, charged, special, lease, suspect, interval, cooldown, restart_rest, cap, sticky, callback,
    waiters, day, log_limit, looks, next_call, calls_lag, calls_settle, contacts_lag, contacts_settle, put_back =
    struct.unpack(settings.COLUMNS, whole_text)
  local conf = {
    text = whole_text,
    status = settings.STATUS[status],
    near = near == '1',
    charged = charged == '1',
    special = special == '1',
    lease_ms = lease + 0,
    lease_seconds = string.format('%d', lease / 1000),
    suspect_ms = suspect + 0,
    interval_ms = interval + 0,
    cooldown_ms = cooldown + 0,
    restart_rest_ms = restart_rest + 0,
    cap = cap + 0,
    sticky_us = sticky * settings.SECOND_US,
    callback_us = callback * settings.SECOND_US,
    waiters = waiters + 0,
    day = day,
    day_us = day * settings.SECOND_US,
    log_limit = log_limit + 0,
    looks_us = looks + 0,
    next_call_us = next_call + 0,
    calls_lag = calls_lag + 0,
    calls_settle = calls_settle + 0,
    contacts_lag = contacts_lag + 0,
    contacts_settle = contacts_settle + 0,
    put_back = put_back,
  }
  remember(settings.KNOWN, text, conf)
  return conf
end
