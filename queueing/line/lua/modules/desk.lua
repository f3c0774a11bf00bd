-- The desk that a call works on: desk.open reads it, desk.close writes what every call leaves. In between it is
-- this state, all set by desk.open, since a library keeps it from one call to the next:
--   tag                 its hash's key, and the start of its other keys
--   letter, is_open     o or r as in the hash; a desk that recovers matches nobody
--   seq                 its last history entry; first_seq: the last one before this call
--   now, now_ms         Redis' time as numbers; at, at_ms: the same as text; last: µs of the call before
--   log_limit           the largest backlog of the history
--   woken               ms, as text: when watchers were last woken
--   needs, profiles     how many sets of skills visitors need and agents have (skills.lua)
--   calls               how many calls back there are
--   joined, answered, abandoned, ticket    counters and the last ticket, as text
--   heard_since         ms; since when people can be heard, once silence.lua knows
--   passed_over         how many silent ones this call has passed over
--   settings, skills    of queues and sets of skills: what this call has read
--   declines            offers declined, once this call has read them
local desk = {}

desk.MS_US = 1000 -- µs in a ms
desk.WAKE_MS = 100 -- watchers are woken once in so long at most
desk.STAMP_US = 3000000 -- a call that changes nothing notes the time once in so long
desk.LOG_LIMIT = 1000000 -- where none is set

-- Opens the desk. Returns nil, or the reply when there is no such desk or its data is two releases ahead.
function desk.open(tag)
  local letter, seq, last, log_limit, version, woken, needs, profiles, calls_back, joined, answered, abandoned, ticket =
    unpack(redis.call('HMGET', tag, 'conf', 'seq', 'clock', 'log_limit', 'script_version', 'woken', 'needs', 'profiles',
      'calls', 'joined', 'answered', 'abandoned', 'ticket'))
  if not letter then return { 'no such desk' } end
  if version and version - VERSION > 1 then
    return { outdated(version, redis.call('HGET', tag, 'script_sha')) }
  end
  desk.tag, desk.letter, desk.is_open = tag, letter, letter == 'o'
  desk.seq, desk.first_seq, desk.last, desk.log_limit = seq + 0, seq + 0, last + 0, log_limit
  desk.woken, desk.needs, desk.profiles = woken, (needs or 0) + 0, (profiles or 0) + 0
  desk.calls, desk.ticket = (calls_back or 0) + 0, ticket or '0'
  desk.joined, desk.answered, desk.abandoned = joined or '0', answered or '0', abandoned or '0'
  desk.heard_since, desk.passed_over, desk.settings, desk.skills, desk.declines = nil, 0, nil, nil, nil
  desk.now = now_us(last)
  desk.now_ms = math.floor(desk.now / desk.MS_US)
  desk.at, desk.at_ms = int(desk.now), int(desk.now_ms)
end

-- Whether the desk's data is to be believed: not while its visits are still being loaded, or its server has been
-- promoted. SQL answers then.
function desk.is_believed()
  return desk.is_open or desk.field('opens_at') ~= false
end

-- A field of the desk's hash; false = it is not there.
function desk.field(name)
  return redis.call('HGET', desk.tag, name)
end

function desk.set(name, value)
  redis.call('HSET', desk.tag, name, value)
end

-- The shortest reply: a word, and the last entry of the history.
function desk.answer(word)
  return { word, int(desk.seq) }
end

-- One entry of the history: its kind, then names and values.
function desk.log(kind, ...)
  desk.seq = desk.seq + 1
  redis.call('XADD', desk.tag .. ':log', string.format('%d-0', desk.seq), 'at', desk.at, 'k', kind, ...)
end

-- What one visitor or agent must hear at once goes to their sockets, past every coalescer. '-' = nobody.
function desk.tell(kind, visit, agent)
  local text = '{"op":"personal","kind":"line.' .. kind .. '","data":{"visit":"' .. visit .. '","agent":"' .. agent
    .. '","seq":' .. int(desk.seq) .. '}}'
  if visit ~= '-' then redis.pcall('PUBLISH', 'live:to:visitor:' .. visit, text) end
  if agent ~= '-' then redis.pcall('PUBLISH', 'live:to:user:' .. agent, text) end
end

-- The clock by which signs of life count is kept: sweeps must know that it was ahead.
function desk.stamp()
  if desk.now - desk.last > desk.STAMP_US then desk.set('clock', desk.at) end
end

-- Writes the counters and the time when there are new entries, and wakes those who watch.
function desk.close()
  if desk.seq == desk.first_seq then return end
  local woken = (desk.woken or 0) + 0
  local wakes = desk.now_ms - woken >= desk.WAKE_MS or desk.now_ms < woken
  redis.call('HSET', desk.tag, 'seq', int(desk.seq), 'clock', desk.at, 'joined', desk.joined, 'answered', desk.answered,
    'abandoned', desk.abandoned, 'ticket', desk.ticket, 'woken', wakes and desk.at_ms or desk.woken or '0')
  if desk.now < desk.last then desk.set('ahead', 0) end -- the clock was: sweeps look at what it has written
  if wakes then redis.pcall('PUBLISH', desk.tag .. ':wake', '') end
  trim_log(desk.tag, desk.seq, desk.first_seq, (desk.log_limit or desk.LOG_LIMIT) + 0)
end
