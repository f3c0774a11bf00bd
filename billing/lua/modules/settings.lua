-- A wallet's settings: columns of text with fixed widths (billing/wallet/settings.py writes them), read into named
-- fields.
local settings = {}

settings.COLUMNS = 'c1c16c10c7c7c7c7c6c10c5'
settings.PARTS = 'c1c60c10c5' -- status, what operators set, next midnight in s, number of the day
settings.BYTES = 76
settings.STATUS = { o = 'open', f = 'frozen', c = 'closed', r = 'recovering' }
settings.LETTER = { open = 'o', frozen = 'f', closed = 'c', recovering = 'r' }
settings.SECOND_US = 1000000
settings.DAYS = 100000 -- after this many days, their numbers start again
settings.KNOWN = {} -- text → settings: a library parses each text once, not at each call

-- status: open | frozen | closed | recovering (safe mode). daily_limit: units, 0 = none. log_limit: how many entries
-- may be missing in SQL before new holds are refused. day: its number as text. All other fields are numbers.
function settings.read(text)
  local known = settings.KNOWN[text]
  if known then return known end
  local status, daily_limit, log_limit, unsent_message, unsent_call, report, keep, parked_limit, midnight, day =
    struct.unpack(settings.COLUMNS, text)
  local conf = {
    text = text,
    status = settings.STATUS[status],
    daily_limit = daily_limit + 0,
    log_limit = log_limit + 0,
    periods_us = { -- named as in clock.PERIODS
      message = unsent_message * settings.SECOND_US,
      call = unsent_call * settings.SECOND_US,
      report = report * settings.SECOND_US,
    },
    keep_us = keep * settings.SECOND_US,
    parked_limit = parked_limit + 0,
    midnight_us = midnight * settings.SECOND_US,
    day = day,
  }
  remember(settings.KNOWN, text, conf)
  return conf
end

-- Whether the text has all columns except the status.
function settings.are_columns(text)
  return #text == settings.BYTES - 1 and not string.find(text, '%D')
end

-- The settings' text with another status.
function settings.with_status(conf, status)
  return settings.LETTER[status] .. string.match(conf.text, '^.(.*)$')
end

-- The settings' text for the next day, and when that day ends.
function settings.with_next_day(conf, midnight_seconds)
  local letter, rules, _, day = struct.unpack(settings.PARTS, conf.text)
  return letter .. rules .. string.format('%010d%05d', midnight_seconds, (day + 1) % settings.DAYS)
end

-- The settings' text with new columns. Status and day stay, and with `keeps_midnight` also the end of the day.
function settings.with_columns(conf, columns, keeps_midnight)
  local letter, _, midnight, day = struct.unpack(settings.PARTS, conf.text)
  local _, rules, new_midnight = struct.unpack(settings.PARTS, letter .. columns)
  return letter .. rules .. (keeps_midnight and midnight or new_midnight) .. day
end
