-- The group that an operation works on. group.open reads it, and group.close writes what every operation changes. A
-- library keeps this table from one call to the next, so group.open sets all of these fields:
--   tag                 the key of its hash, with which its other keys begin
--   conf                its settings (settings.lua)
--   seq, first_seq      its last history entry, now and before this operation
--   now, at             Redis' time in µs, as a number and as text; last: the time of the last operation
--   woken               the tenth of a second in which the listeners were last woken
--   opens_at            when it opens automatically, as text; false if it does not, or if it is open
--   until_at            the earliest time at which a drain, a block or an ejection may end (names.lua)
--   listens_at          until then no peer counts as unheard; was_away, is_deaf: see group.listen
--   known               the peers that this operation has read, by key; false if a peer does not exist
local group = {}

group.WAKE_US = 100000
group.AWAY_US = 3000000

-- Opens the group. Returns nil, or the reply if the group does not exist or its data is two releases ahead.
function group.open(tag)
  local conf, seq, last, version, woken, opens_at, listens_at, until_at = unpack(redis.call('HMGET', tag, 'conf',
    'seq', 'clock', 'script_version', 'woken', 'opens_at', 'listens_at', 'until'))
  if not conf then return checks.refusal('no such group') end
  if version and version - VERSION > 1 then
    return checks.refusal(outdated(version, redis.call('HGET', tag, 'script_sha')))
  end
  group.tag, group.conf = tag, settings.read(conf)
  group.seq, group.last = seq + 0, (last or 0) + 0
  group.first_seq = group.seq
  group.now = now_us(group.last)
  group.at = string.format('%d', group.now)
  group.woken, group.opens_at, group.until_at = (woken or 0) + 0, opens_at, until_at
  group.listens_at = (listens_at or 0) + 0
  group.known = {}
  group.listen()
end

-- Sets is_deaf: whether no peer may count as unheard yet. A group in use gets several requests in 3 s, from the
-- processes that hold its sockets (links/hub.py) and from the timers. If it got none for that long, Redis or the
-- service was away, or the clock has jumped. Heartbeats could not be heard, so every peer has one limit from now.
-- group.close stores the result.
function group.listen()
  local silence = group.conf.silence_us
  group.was_away = math.abs(group.now - group.last) > group.AWAY_US
  if group.was_away then group.listens_at = group.now + silence end
  group.is_deaf = group.listens_at > group.now and group.listens_at - group.now <= silence
end

-- All keys of a group.
function group.keys(tag)
  return { tag, tag .. ':peers', tag .. ':beats', tag .. ':gone', tag .. ':seqs', tag .. ':out', tag .. ':routes',
    tag .. ':timers', tag .. ':index', tag .. ':ready', tag .. ':ring', tag .. ':names', tag .. ':clear',
    tag .. ':log', tag .. ':health', tag .. ':answers', tag .. ':backups' }
end

-- The group's name, as it is in the channels of processes.
function group.slug(tag)
  return string.match(tag, '^{disp%.(.*)}$')
end

-- A field of the group's hash, or false if it does not exist.
function group.field(name)
  return redis.call('HGET', group.tag, name)
end

function group.set(name, value)
  redis.call('HSET', group.tag, name, value)
end

function group.set_conf(text)
  group.conf = settings.read(text)
  redis.call('HSET', group.tag, 'conf', text)
end

function group.count(counter, number)
  if number ~= 0 then redis.call('HINCRBY', group.tag, counter, number or 1) end
end

-- The time this many µs from now, as text.
function group.after(time_us)
  return string.format('%d', group.now + time_us)
end

-- Writes a history entry. Pass '' or nil for a field that does not apply (dispatcher/changes.py).
function group.log(event, peer, name, other, count, reason, data)
  group.seq = group.seq + 1
  local words = { event, peer or '', name or '', other or '', count or '', reason or '', data or '' }
  local entry = table.concat(words, '\t')
  redis.call('XADD', group.tag .. ':log', string.format('%d-0', group.seq), 'at', group.at, 'e', entry)
end

-- Writes the time, and wakes the listeners, once in each tenth of a second.
function group.close()
  local tag, tenth = group.tag, math.floor(group.now / group.WAKE_US)
  if tenth ~= group.woken then
    redis.call('HSET', tag, 'woken', string.format('%d', tenth), 'clock', group.at, 'seq',
      string.format('%d', group.seq))
    if group.was_away then group.set('listens_at', string.format('%d', group.listens_at)) end
    redis.pcall('PUBLISH', tag .. ':wake', '')
  elseif group.seq > group.first_seq then
    redis.call('HSET', tag, 'clock', group.at, 'seq', string.format('%d', group.seq))
  end
  trim_log(tag, group.seq, group.first_seq, group.conf.log_limit)
end
