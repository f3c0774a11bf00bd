-- A gate's settings: columns of text with fixed widths (gate/settings.py writes them), read into named fields.
local settings = {}

settings.COLUMNS = 'c1c1c1c1xc7c6c5c7c2c5c4c5c10'
settings.BYTES = 56
settings.PATTERN = '^[01][01][01]|%d+$' -- all columns except the status
settings.STATUS = { o = 'open', p = 'paused', r = 'recovering' }
settings.LETTER = { open = 'o', paused = 'p', recovering = 'r' }
settings.SECOND_US = 1000000
settings.MOST_CAP = 1000000
settings.KNOWN = {} -- text → settings: a library parses each text once, not at each call

-- status: open | paused | recovering. fair, rated and adaptive are booleans, all other fields numbers.
function settings.read(text)
  local known = settings.KNOWN[text]
  if known then return known end
  local status, fair, rated, adaptive, cap, permit, margin, longest, attempts, period, look_ahead, rate, log_limit =
    struct.unpack(settings.COLUMNS, text)
  local conf = {
    text = text,
    status = settings.STATUS[status],
    fair = fair == '1',
    rated = rated == '1',
    adaptive = adaptive == '1',
    cap = cap + 0,
    permit_us = permit * settings.SECOND_US,
    margin_us = margin * settings.SECOND_US,
    longest_us = longest * settings.SECOND_US,
    attempts = attempts + 0,
    period_seconds = period + 0,
    period_us = period * settings.SECOND_US,
    look_ahead = look_ahead + 0,
    rate = rate + 0,
    log_limit = log_limit + 0,
  }
  remember(settings.KNOWN, text, conf)
  return conf
end

-- Whether the text has all columns except the status.
function settings.are_columns(text)
  return #text == settings.BYTES - 1 and string.find(text, settings.PATTERN) ~= nil
end

-- The settings' text with another status.
function settings.with_status(text, status)
  return settings.LETTER[status] .. string.match(text, '^.(.*)$')
end

-- The settings' text with another cap, which is adaptive or not.
function settings.with_cap(text, cap, adaptive)
  local start, rest = string.match(text, '^(...).|%d%d%d%d%d%d%d(.*)$')
  return start .. (adaptive and '1' or '0') .. '|' .. string.format('%07d', cap) .. rest
end

-- The limits and steps of the adaptive cap, or nil if the text is malformed.
function settings.adaptation(text)
  local least, most, step_up, down_percent, error_percent, latency_ms, interval =
    string.match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not least then return nil end
  return {
    least = least + 0,
    most = most + 0,
    step_up = step_up + 0,
    down_percent = down_percent + 0,
    error_percent = error_percent + 0,
    latency_ms = latency_ms + 0,
    interval_us = interval * settings.SECOND_US,
  }
end
