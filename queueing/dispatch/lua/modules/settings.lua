-- A group's settings: columns of text with fixed widths (dispatcher/settings.py writes them), read into named fields.
local settings = {}

settings.COLUMNS = 'c1c1xc4c2c5c8c7c5c6c10c1c4c3c5c4c5c3c4'
settings.BYTES = 79
settings.OLD_BYTES = 50 -- of a release without the columns after the log limit
settings.LACKING = '00010000000200030000300500000' -- their values then: no retries, ejection or slow start
settings.PATTERN = '^[ltk]|%d+$' -- all columns except the status
settings.STATUS = { o = 'open', r = 'recovering' }
settings.LETTER = { open = 'o', recovering = 'r' }
settings.SHARING = { l = 'least', t = 'turn', k = 'key' }
settings.SECOND_US = 1000000
settings.KNOWN = {} -- text → settings: a library parses each text once, not at each call

-- status: open | recovering. sharing: least | turn | key. silence_us: a peer that is not heard for this long is
-- pending. out_limit: how many frames others may leave in an outbox. most_frames: how many an outbox can hold. retries:
-- how many more instances are offered a start that was not accepted. failure_percent: 0 = no instance is ejected.
-- slow_start_us: 0 = off.
function settings.read(text)
  local known = settings.KNOWN[text]
  if known then return known end
  local whole_text = #text == settings.OLD_BYTES and text .. settings.LACKING or text
  local status, sharing, heartbeat, missed, disconnect, route, timed_route, out_limit, ends_limit, log_limit, retries,
    answer, failure_percent, failure_sessions, failure_window, ejection, ejected_percent, slow_start =
    struct.unpack(settings.COLUMNS, whole_text)
  local conf = {
    text = text,
    status = settings.STATUS[status],
    sharing = settings.SHARING[sharing],
    silence_us = heartbeat * missed * settings.SECOND_US,
    disconnect_us = disconnect * settings.SECOND_US,
    route_us = route * settings.SECOND_US,
    timed_route_us = timed_route * settings.SECOND_US,
    out_limit = out_limit + 0,
    ends_limit = ends_limit + 0,
    most_frames = out_limit + ends_limit,
    log_limit = log_limit + 0,
    retries = retries + 0,
    answer_us = answer * settings.SECOND_US,
    failure_percent = failure_percent + 0,
    failure_sessions = failure_sessions + 0,
    failure_window_us = failure_window * settings.SECOND_US,
    ejection_us = ejection * settings.SECOND_US,
    ejected_percent = ejected_percent + 0,
    slow_start_us = slow_start * settings.SECOND_US,
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
