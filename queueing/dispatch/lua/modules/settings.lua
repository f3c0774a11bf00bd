-- A group's settings: fixed columns of text (dispatcher/settings.py writes them), read into named fields.
local settings = {}

settings.COLUMNS = 'c1c1xc4c2c5c8c7c5c6c10'
settings.BYTES = 50
settings.PATTERN = '^[ltk]|%d+$' -- all columns but the status
settings.STATUS = { o = 'open', r = 'recovering' }
settings.LETTER = { open = 'o', recovering = 'r' }
settings.SHARING = { l = 'least', t = 'turn', k = 'key' }
settings.SECOND_US = 1000000
settings.KNOWN = {} -- text → settings: in a library they are read once, not at each call

-- status open | recovering; sharing least | turn | key; silence_us: who is not heard for so long is
-- pending; out_limit: frames that others may leave in an outbox; most_frames: that it may hold.
function settings.read(text)
  local known = settings.KNOWN[text]
  if known then return known end
  local status, sharing, heartbeat, missed, disconnect, route, timed_route, out_limit, ends_limit, log_limit =
    struct.unpack(settings.COLUMNS, text)
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
  }
  remember(settings.KNOWN, text, conf)
  return conf
end

-- Whether these are all columns but the status.
function settings.are_columns(text)
  return #text == settings.BYTES - 1 and string.find(text, settings.PATTERN) ~= nil
end

-- The text with another status.
function settings.with_status(text, status)
  return settings.LETTER[status] .. string.match(text, '^.(.*)$')
end
