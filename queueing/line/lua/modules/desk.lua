-- The desk that an operation works on. desk.open reads it, and desk.close writes what every operation changes. A
-- library keeps this table from one call to the next, so desk.open sets all of these fields:
--   tag                 the key of its hash, with which its other keys begin
--   letter, is_open     o or r as in the hash; a recovering desk matches no one
--   seq, seq_text       its last history entry; first_seq: the last one before this operation
--   now, now_ms         Redis' time as numbers; at, at_ms: as text; last: µs of the last operation
--   log_limit           the largest backlog of the history
--   woken               ms, as text: when listeners were last woken
--   needs, profiles     how many sets of skills visitors need and agents have (skills.lua)
--   calls               the number of callbacks
--   joined, answered, abandoned, ticket    counters and the last ticket, as text
--   heard_since         ms; since when visitors and agents can be heard, once silence.lua has read it
--   passed_over         how many people this operation has passed over because they were not heard
--   settings, skills    of queues and sets of skills: what this operation has read
--   declines            declined offers, once this operation has read them
local desk = {}

desk.MS_US = 1000 -- µs in a ms
desk.WAKE_MS = 100 -- the shortest time between two wakes of the listeners
desk.STAMP_US = 3000000 -- an operation without a change records the time once in this period
desk.LOG_LIMIT = 1000000 -- if none is set

-- Opens the desk. Returns nil, or the reply if the desk does not exist or its data is two releases ahead.
function desk.open(tag)
  local letter, seq, last, log_limit, version, woken, needs, profiles, calls_back, joined, answered, abandoned, ticket =
    unpack(redis.call('HMGET', tag, 'conf', 'seq', 'clock', 'log_limit', 'script_version', 'woken', 'needs', 'profiles',
      'calls', 'joined', 'answered', 'abandoned', 'ticket'))
  if not letter then return { 'no such desk' } end
  if version and version - VERSION > 1 then
    return { outdated(version, redis.call('HGET', tag, 'script_sha')) }
  end
  desk.tag, desk.letter, desk.is_open, desk.seq_text = tag, letter, letter == 'o', seq
  desk.seq, desk.first_seq, desk.last, desk.log_limit = seq + 0, seq + 0, last + 0, log_limit
  desk.woken, desk.needs, desk.profiles = woken, (needs or 0) + 0, (profiles or 0) + 0
  desk.calls, desk.ticket = (calls_back or 0) + 0, ticket or '0'
  desk.joined, desk.answered, desk.abandoned = joined or '0', answered or '0', abandoned or '0'
  desk.heard_since, desk.passed_over, desk.settings, desk.skills, desk.declines = nil, 0, nil, nil, nil
  desk.now = now_us(last)
  desk.now_ms = math.floor(desk.now / desk.MS_US)
  desk.at, desk.at_ms = int(desk.now), int(desk.now_ms)
end

-- Whether the desk's data is reliable. It is not while its visits are being loaded, or after its server was promoted.
-- SQL answers then.
function desk.is_believed()
  return desk.is_open or desk.field('opens_at') ~= false
end

-- A field of the desk's hash, or false if it does not exist.
function desk.field(name)
  return redis.call('HGET', desk.tag, name)
end

function desk.set(name, value)
  redis.call('HSET', desk.tag, name, value)
end

-- The shortest reply: one word, and the last history entry.
function desk.answer(word)
  return { word, desk.seq_text }
end

-- Writes a history entry: its kind, then names and values.
function desk.log(kind, ...)
  desk.seq = desk.seq + 1
  desk.seq_text = int(desk.seq)
  redis.call('XADD', desk.tag .. ':log', desk.seq_text, 'at', desk.at, 'k', kind, ...)
end

-- Sends what a visitor or agent must know at once to their sockets, without coalescing. '-' = to no one.
function desk.tell(kind, visit, agent)
  local text = '{"op":"personal","kind":"line.' .. kind .. '","data":{"visit":"' .. visit .. '","agent":"' .. agent
    .. '","seq":' .. desk.seq_text .. '}}'
  if visit ~= '-' then redis.pcall('PUBLISH', 'live:to:visitor:' .. visit, text) end
  if agent ~= '-' then redis.pcall('PUBLISH', 'live:to:user:' .. agent, text) end
end

-- The clock by which people are heard. Sweeps must know if it was ahead.
function desk.stamp()
  if desk.now - desk.last > desk.STAMP_US then desk.set('clock', desk.at) end
end

-- Writes the counters and the time if there are new entries, and wakes the listeners.
function desk.close()
  if desk.seq == desk.first_seq then return end
  local woken = (desk.woken or 0) + 0
  local wakes = desk.now_ms - woken >= desk.WAKE_MS or desk.now_ms < woken
  redis.call('HSET', desk.tag, 'seq', desk.seq_text, 'clock', desk.at, 'joined', desk.joined, 'answered', desk.answered,
    'abandoned', desk.abandoned, 'ticket', desk.ticket, 'woken', wakes and desk.at_ms or desk.woken or '0')
  if desk.now < desk.last then desk.set('ahead', 0) end -- the clock was ahead: sweeps check its times
  if wakes then redis.pcall('PUBLISH', desk.tag .. ':wake', '') end
  trim_log(desk.tag, desk.seq, desk.first_seq, (desk.log_limit or desk.LOG_LIMIT) + 0)
end
