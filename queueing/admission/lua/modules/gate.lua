-- The gate that a call works on: gate.open reads it, gate.close writes what every call leaves. In
-- between it is this state, all set by gate.open, since a library keeps it from one call to the next:
--   tag                its hash's key, and the start of its other keys
--   conf               its settings (settings.lua)
--   generation, seq    its life (text), and its last history entry; first_seq: the last one before this call
--   now, at            Redis' time in µs, as a number and as text; last: that of the call before
--   due                what deadlines are held against (clock.lua), with lag, settles, behind
--   doubt              what was in doubt before this call
--   waiting            how many stand in the line, as text; line_moved, arrival, silent_gone (line.lua)
--   hold               the mean length of a hold in µs, once permits.lua has read it
--   granted, released  how many this call has granted and taken back
--   held, used         permits in Redis, and slots in use, once permits.lua has counted them
--   batches            those that were read (batches.lua)
--   waits, waited_us   how many this call has let in, by bucket of their wait, and the sum (waits.lua)
local gate = {}

gate.STAMP_US = 1000000 -- a call that changes nothing notes the time once in so long

-- Opens the gate. Returns nil, or the operation's reply when there is no such gate or its data is
-- two releases ahead. `field`: one more field of the hash, read along; its value is the second result.
function gate.open(tag, field)
  local found = redis.call('HMGET', tag, 'conf', 'seq', 'clock', 'generation', 'script_version', 'doubt', 'line',
    field or 'conf')
  local conf, seq, last, generation, version, doubt, waiting, value = unpack(found)
  if not conf then return checks.refusal('no such gate') end
  if version and version - VERSION > 1 then
    return checks.refusal(outdated(version, redis.call('HGET', tag, 'script_sha')))
  end
  gate.tag, gate.conf, gate.generation = tag, settings.read(conf), generation
  gate.seq, gate.last, gate.doubt, gate.waiting = seq + 0, (last or 0) + 0, doubt, waiting
  gate.first_seq = gate.seq
  gate.now = now_us(gate.last)
  gate.at = string.format('%d', gate.now)
  gate.granted, gate.released, gate.hold = 0, 0, nil
  gate.held, gate.used, gate.batches = nil, nil, nil
  gate.line_moved, gate.arrival, gate.silent_gone = false, nil, false
  gate.waits, gate.waited_us = {}, 0
  clock.judge()
  return nil, value
end

-- Every key of a gate.
function gate.keys(tag)
  return { tag, tag .. ':permits', tag .. ':anon', tag .. ':line', tag .. ':seen', tag .. ':starts', tag .. ':tasks',
    tag .. ':devices', tag .. ':work', tag .. ':batches', tag .. ':log', tag .. ':weights', tag .. ':heavy',
    tag .. ':waits' }
end

-- A field of the gate's hash; false = it is not there.
function gate.field(name)
  return redis.call('HGET', gate.tag, name)
end

function gate.set(name, value)
  redis.call('HSET', gate.tag, name, value)
end

function gate.set_number(name, number)
  redis.call('HSET', gate.tag, name, string.format('%d', number))
end

function gate.set_conf(text)
  gate.conf = settings.read(text)
  redis.call('HSET', gate.tag, 'conf', text)
end

function gate.count(counter, number)
  redis.call('HINCRBY', gate.tag, counter, number or 1)
end

-- One entry of the history; '' or nil where a field has nothing to say (gate/changes.py).
function gate.log(event, holder, token, deadline, task, attempt, batch, reason, data)
  gate.append(table.concat({ event, holder or '', token or '', deadline or '', task or '', attempt or '', batch or '',
    reason or '', data or '' }, '\t'))
end

-- The same of a gate or a batch as a whole.
function gate.log_of(event, batch, reason, data)
  gate.append(event .. '\t\t\t\t\t\t' .. (batch or '') .. '\t' .. (reason or '') .. '\t' .. (data or ''))
end

function gate.append(entry)
  gate.seq = gate.seq + 1
  redis.call('XADD', gate.tag .. ':log', string.format('%d-0', gate.seq), 'at', gate.at, 'e', entry)
end

-- Writes the counters and the time, and wakes those who watch.
function gate.close()
  if gate.line_moved then line.count() end
  if gate.granted > 0 then
    redis.call('HINCRBY', gate.tag, 'granted', gate.granted)
    waits.keep()
  end
  if gate.released > 0 then redis.call('HINCRBY', gate.tag, 'released', gate.released) end
  clock.keep()
  if gate.seq == gate.first_seq then return end
  local seq = string.format('%d', gate.seq)
  if gate.hold then
    redis.call('HSET', gate.tag, 'seq', seq, 'clock', gate.at, 'hold', string.format('%d', gate.hold))
  else
    redis.call('HSET', gate.tag, 'seq', seq, 'clock', gate.at)
  end
  wake(gate.tag, gate.now, gate.last)
  trim_log(gate.tag, gate.seq, gate.first_seq, gate.conf.log_limit)
end
