-- The pool that a call works on: pool.open reads it, pool.close writes what every change moves. In
-- between it is this state, all set by pool.open, since a library keeps it from one call to the next:
--   tag                 its hash's key, and the start of its other keys
--   conf                its settings (settings.lua); never changed in place
--   seq, first_seq      its last history entry, and the last one before this call; seq_text: of one by this call
--   carried, first_carried  calls carried, now and before this call
--   now, at             Redis' time in µs, as a number and as text; last: that of the change before
--   stepped             the clock has made a step since then (clock.lua)
local pool = {}

pool.STAMP_US = 1000000 -- a call that changes nothing notes the time once in so long
pool.GENERAL = 5 -- fields of the hash that are read for every call

-- Opens the pool. Returns nil, or the operation's reply when there is no such pool or its data is two releases
-- ahead. `fields`: those of the index that are needed, read in the same command (index.lua).
function pool.open(tag, fields)
  local found
  if fields then
    found = redis.call('HMGET', tag, 'conf', 'seq', 'clock', 'carried', 'script_version', unpack(fields))
  else
    found = redis.call('HMGET', tag, 'conf', 'seq', 'clock', 'carried', 'script_version')
  end
  local conf, seq, last, carried, version = found[1], found[2], found[3], found[4], found[5]
  if not conf then return pool.refusal('no such pool') end
  if version and version - VERSION > 1 then
    return pool.refusal(outdated(version, redis.call('HGET', tag, 'script_sha')))
  end
  pool.tag, pool.conf, pool.last = tag, settings.read(conf), (last or 0) + 0
  pool.seq, pool.carried = seq + 0, carried + 0
  pool.first_seq, pool.first_carried = pool.seq, pool.carried
  pool.now = now_us(pool.last)
  pool.at = string.format('%d', pool.now)
  index.known, index.changed = {}, {}
  if fields then
    for place = 1, #fields do index.known[fields[place]] = found[pool.GENERAL + place] end
  end
  local ahead = pool.now - pool.last
  pool.stepped = pool.last > 0 and (ahead > clock.BELIEVED_US or ahead < 0)
  if pool.stepped then clock.step(ahead) end
end

-- The reply to an operation that is refused as a whole.
function pool.refusal(reason, number)
  return { '-1', number or '', '', reason }
end

-- Every key of a pool.
function pool.keys(tag)
  return { tag, tag .. ':numstate', tag .. ':idle:up', tag .. ':idle:near', tag .. ':timers', tag .. ':log',
    tag .. ':registrations', tag .. ':charges' }
end

-- A field of the pool's hash; false = it is not there.
function pool.field(name)
  return redis.call('HGET', pool.tag, name)
end

function pool.set(name, value)
  redis.call('HSET', pool.tag, name, value)
end

function pool.set_number(name, number)
  redis.call('HSET', pool.tag, name, string.format('%d', number))
end

function pool.count(counter, number)
  redis.call('HINCRBY', pool.tag, counter, number)
end

-- Writes columns of the settings from the named one on.
function pool.set_column(column, value)
  local text = columns.with(pool.conf.text, column, value)
  if text == pool.conf.text then return end
  pool.conf = settings.read(text)
  pool.set('conf', text)
end

-- Notes whether events have to look at more than a number's state: see settings.special.
function pool.mark_special()
  local kept = redis.call('HMGET', pool.tag, 'old', 'releasing')
  local is_special = waiting.count_all() > 0 or (kept[1] or 0) + 0 > 0 or (kept[2] and kept[2] ~= '')
  pool.set_column('special', is_special and '1' or '0')
end

-- One entry of the history in the order that numbers/pool/changes.py reads; nil where there is nothing to say.
-- `fields`: JSON fields of a call, each with a comma before it.
function pool.log(verb, number, before, after, reason, picked, since, ready, fields)
  pool.seq = pool.seq + 1
  pool.seq_text = string.format('%d', pool.seq)
  redis.call('XADD', pool.tag .. ':log', pool.seq_text, 'at', pool.at, 'e', table.concat({ verb, number,
    before, after, reason or '', picked or '', since or '', ready or '', fields or '' }, '\t'))
end

-- The same, with the texts of the event as they came.
function pool.log_event(told, verb, number, before, after, reason, picked, since, ready)
  pool.seq = pool.seq + 1
  pool.seq_text = string.format('%d', pool.seq)
  redis.call('XADD', pool.tag .. ':log', pool.seq_text, 'at', pool.at, 'c', told, 'e', verb .. '\t'
    .. number .. '\t' .. before .. '\t' .. after .. '\t' .. reason .. '\t' .. picked .. '\t' .. since .. '\t' .. ready
    .. '\tw')
end

-- The same of the pool as a whole.
function pool.log_of_all(verb, reason, fields)
  pool.log(verb, '', '', '', reason, '', '', '', fields)
end

-- Writes the index, the sequence and the time; wakes those who watch. Without a change the time alone, once a
-- second: the next call compares its own with it.
function pool.close()
  if pool.seq == pool.first_seq then
    index.flush()
    if math.abs(pool.now - pool.last) > pool.STAMP_US then
      redis.call('HSET', pool.tag, 'clock', pool.at, 'conf', pool.conf.text)
    end
    return
  end
  local fields = { 'seq', pool.seq_text, 'clock', pool.at }
  local count = 4
  if pool.carried > pool.first_carried then
    fields[5], fields[6] = 'carried', string.format('%d', pool.carried)
    count = 6
  end
  for field, value in pairs(index.changed) do
    fields[count + 1], fields[count + 2] = field, value
    count = count + 2
  end
  redis.call('HSET', pool.tag, unpack(fields))
  if pool.stepped then pool.set('conf', pool.conf.text) end
  wake(pool.tag, pool.now, pool.last)
  trim_log(pool.tag, pool.seq, pool.first_seq, pool.conf.log_limit)
end
