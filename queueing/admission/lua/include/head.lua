-- Opens the gate: names of keys, settings, the time; ends the script when there is no such gate.
-- `conf` has fixed columns (gate/settings.py), because cutting is cheaper than parsing.
local call, sub, find, fmt = redis.call, string.sub, string.find, string.format
local GATE = KEYS[1]
local PERMITS, ANON = KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':anon'
local LINE, SEEN = KEYS[4] or GATE .. ':line', KEYS[5] or GATE .. ':seen'
local STARTS, TASKS = KEYS[6] or GATE .. ':starts', KEYS[7] or GATE .. ':tasks'
local DEVICES, WORK = KEYS[8] or GATE .. ':devices', KEYS[9] or GATE .. ':work'
local BATCHES, LOG = KEYS[10] or GATE .. ':batches', KEYS[11] or GATE .. ':log'
local head = call('HMGET', GATE, 'conf', 'seq', 'clock', 'generation', 'script_version', 'hold', 'doubt', 'loading')
local conf = head[1]
if not conf then return { '-1', '', '', 'no such gate' } end
if head[5] and head[5] - VERSION > 1 then
  return { '-1', '', '', outdated(head[5], call('HGET', GATE, 'script_sha')) }
end
local seq, generation, last, doubt = head[2] + 0, head[4] + 0, (head[3] or 0) + 0, head[7]
local first_seq, now = seq, now_us(last)
local at = fmt('%d', now)
--@include due
