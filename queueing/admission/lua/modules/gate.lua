-- The gate that an operation works on. gate.open reads it, and gate.close writes what every operation changes. A
-- library keeps this table from one call to the next, so gate.open sets all of these fields:
--   tag                the key of its hash, with which its other keys begin
--   conf               its settings (settings.lua)
--   generation, seq    the generation of its data (text), its last history entry; first_seq: that before this call;
--                      seq_text: that of its own last entry
--   now, at            Redis' time in µs, as a number and as text; last: the time of the last operation
--   due                the time by which deadlines are judged (clock.lua), with lag, settles, behind
--   doubt              the doubt before this operation
--   waiting            the length of the line, as text; line_moved, arrival, silent_gone (line.lua)
--   hold               the mean length of a hold in µs, once permits.lua has read it
--   granted, released  how many permits this operation has granted and taken back
--   held, used         permits in Redis, and slots in use, once permits.lua has counted them
--   batches            the batches that were read (batches.lua)
--   waits, waited_us   how many waits ended in this operation, by bucket, and their sum (waits.lua)
local gate = {}

gate.STAMP_US = 1000000 -- an operation without a change records the time once in this period

-- Opens the gate. Returns nil, or the reply if the gate does not exist or its data is two releases ahead. `field`:
-- another field of the hash to read, whose value is the second result.
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

-- All keys of a gate.
function gate.keys(tag)
  return { tag, tag .. ':permits', tag .. ':anon', tag .. ':line', tag .. ':seen', tag .. ':starts', tag .. ':tasks',
    tag .. ':devices', tag .. ':work', tag .. ':batches', tag .. ':log', tag .. ':weights', tag .. ':heavy',
    tag .. ':waits' }
end

-- A field of the gate's hash, or false if it does not exist.
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

-- Writes a history entry. Pass '' or nil for a field that does not apply (gate/changes.py).
function gate.log(event, holder, token, deadline, task, attempt, batch, reason, data)
  gate.append(table.concat({ event, holder or '', token or '', deadline or '', task or '', attempt or '', batch or '',
    reason or '', data or '' }, '\t'))
end

-- Writes a history entry about a gate or a batch as a whole.
function gate.log_of(event, batch, reason, data)
  gate.append(event .. '\t\t\t\t\t\t' .. (batch or '') .. '\t' .. (reason or '') .. '\t' .. (data or ''))
end

function gate.append(entry)
  gate.seq = gate.seq + 1
  gate.seq_text = string.format('%d', gate.seq)
  redis.call('XADD', gate.tag .. ':log', gate.seq_text, 'at', gate.at, 'e', entry)
end

-- Writes the counters and the time, and wakes the listeners.
function gate.close()
  if gate.line_moved then line.count() end
  if gate.granted > 0 then
    redis.call('HINCRBY', gate.tag, 'granted', gate.granted)
    waits.keep()
  end
  if gate.released > 0 then redis.call('HINCRBY', gate.tag, 'released', gate.released) end
  clock.keep()
  if gate.seq == gate.first_seq then return end
  if gate.hold then
    redis.call('HSET', gate.tag, 'seq', gate.seq_text, 'clock', gate.at, 'hold', string.format('%d', gate.hold))
  else
    redis.call('HSET', gate.tag, 'seq', gate.seq_text, 'clock', gate.at)
  end
  wake(gate.tag, gate.now, gate.last)
  trim_log(gate.tag, gate.seq, gate.first_seq, gate.conf.log_limit)
end
