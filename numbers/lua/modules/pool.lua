-- The pool that an operation works on. pool.open reads it, and pool.close writes what every change moves. A library
-- keeps this table from one call to the next, so pool.open sets all of these fields:
--   tag                 the key of its hash, with which its other keys begin
--   conf                its settings (settings.lua); never changed in place
--   seq, first_seq      its last history entry now and before this operation; seq_text: that of its own last entry
--   carried, first_carried  calls carried, now and before this operation
--   now, at             Redis' time in µs, as a number and as text; last: the time of the last change
--   stepped             the clock has jumped since the last change (clock.lua)
local pool = {}

pool.STAMP_US = 1000000 -- an operation without a change records the time once in this period
pool.GENERAL = 5 -- fields of the hash that every operation reads

-- Opens the pool. Returns nil, or the reply if the pool does not exist or its data is two releases ahead. `fields`:
-- fields of the index to read in the same command (index.lua).
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

-- The reply to an operation that is refused.
function pool.refusal(reason, number)
  return { '-1', number or '', '', reason }
end

-- All keys of a pool.
function pool.keys(tag)
  return { tag, tag .. ':numstate', tag .. ':idle:up', tag .. ':idle:near', tag .. ':timers', tag .. ':log',
    tag .. ':registrations', tag .. ':charges' }
end

-- A field of the pool's hash, or false if it does not exist.
function pool.field(name)
  return redis.call('HGET', pool.tag, name)
end

function pool.set(name, value)
  redis.call('HSET', pool.tag, name, value)
end

function pool.count(counter, number)
  redis.call('HINCRBY', pool.tag, counter, number)
end

-- Writes columns of the settings, from the named one on.
function pool.set_column(column, value)
  local text = columns.with(pool.conf.text, column, value)
  if text == pool.conf.text then return end
  pool.conf = settings.read(text)
  pool.set('conf', text)
end

-- Records whether events must check more than the number's state: see settings.special.
function pool.mark_special()
  local kept = redis.call('HMGET', pool.tag, 'old', 'releasing')
  local is_special = waiting.count_all() > 0 or (kept[1] or 0) + 0 > 0 or (kept[2] and kept[2] ~= '')
  pool.set_column('special', is_special and '1' or '0')
end

-- Writes a history entry in the order that numbers/pool/changes.py reads. Pass nil for what does not apply. `fields`:
-- JSON fields of a call, each preceded by a comma.
function pool.log(verb, number, before, after, reason, picked, since, ready, fields)
  pool.seq = pool.seq + 1
  pool.seq_text = string.format('%d', pool.seq)
  redis.call('XADD', pool.tag .. ':log', pool.seq_text, 'at', pool.at, 'e', table.concat({ verb, number,
    before, after, reason or '', picked or '', since or '', ready or '', fields or '' }, '\t'))
end

-- Like pool.log, with the event's texts as they were sent.
function pool.log_event(told, verb, number, before, after, reason, picked, since, ready)
  pool.seq = pool.seq + 1
  pool.seq_text = string.format('%d', pool.seq)
  redis.call('XADD', pool.tag .. ':log', pool.seq_text, 'at', pool.at, 'c', told, 'e', verb .. '\t'
    .. number .. '\t' .. before .. '\t' .. after .. '\t' .. reason .. '\t' .. picked .. '\t' .. since .. '\t' .. ready
    .. '\tw')
end

-- Like pool.log, for the pool as a whole.
function pool.log_of_all(verb, reason, fields)
  pool.log(verb, '', '', '', reason, '', '', '', fields)
end

-- Writes the index, the sequence and the time, and wakes the listeners. Without a change, writes only the time, once a
-- second, because the next operation compares its own time with it.
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
