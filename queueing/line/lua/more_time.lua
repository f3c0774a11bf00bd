--[[ line/more_time
Purpose: Extends an agent's current wrap-up by 30 s. All extensions of a wrap-up together are limited to the longest
  wrap-up of the agent's queues, or to 150 s if that is longer.
KEYS as line/show
ARGV[1] agent          its id
ARGV[2] ends           ms; when the wrap-up ends, as the caller has seen it
Reply: [answer, seq, ends]; answer: ok, repeat (it was extended from there already), late (it is over), limit (it has
  all it may get); ends: ms, when it ends now, 0 = late
Errors: "no such desk", "script outdated …", "gone" (no such agent), "malformed ends"
Complexity: O(slots + queues of the agent)
Version: 1
]]
local MORE_MS = 30000
local LEAST_LIMIT_MS = 150000

-- What was extended is in the desk's hash as "more:<agent>": <ends now>:<ended at first>,… An entry whose slot is gone
-- is dropped by the next extension.
local EXTENDED = '(%d+):(%d+)'

local function limit_of(agent)
  local most = LEAST_LIMIT_MS
  for digits in string.gmatch(agent.queues, agents.QUEUE) do
    local conf = queues.of(queues.id_of(digits))
    most = math.max(most, conf and conf.wrap_up_ms or 0)
  end
  return most
end

-- The wrap-ups that were extended and still run: ends → when it would have ended.
local function extended(agent)
  local runs = {}
  for kind, ends in agents.slots_of(agent) do
    if kind == agents.WRAP_UP then runs[ends] = true end
  end
  local firsts = {}
  for ends, first in string.gmatch(desk.field('more:' .. agent.id) or '', EXTENDED) do
    if runs[ends] then firsts[ends] = first end
  end
  return firsts
end

-- When a wrap-up ends that was extended from this end before; nil = none was.
local function extended_from(firsts, ends)
  for now_ends, first in pairs(firsts) do
    local since = now_ends - ends
    if since > 0 and ends >= first + 0 and since % MORE_MS == 0 then return now_ends end
  end
end

-- Puts the new end into the agent's slot; returns the earliest end of its wrap-ups, nil = it has no such slot.
local function put(agent, ends, new_ends)
  local slots, earliest, found = {}, nil, false
  for kind, id in agents.slots_of(agent) do
    if not found and kind == agents.WRAP_UP and id == ends then id, found = new_ends, true end
    if kind == agents.WRAP_UP then earliest = math.min(earliest or id + 0, id + 0) end
    slots[#slots + 1] = kind .. id
  end
  if not found then return nil end
  agents.set_slots(agent, slots)
  return earliest
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
local ends = ARGV[2] or ''
if not string.find(ends, '^%d+$') or #ends > 15 then return { 'malformed ends' } end
local firsts = extended(agent)
local new_ends, first = int(ends + MORE_MS), firsts[ends] or ends
local earliest = ends + 0 > desk.now_ms and put(agent, ends, new_ends)
if not earliest then
  local now_ends = extended_from(firsts, ends + 0)
  return { now_ends and 'repeat' or 'late', int(desk.seq), now_ends or '0' }
end
if new_ends - first > limit_of(agent) then return { 'limit', int(desk.seq), ends } end

firsts[ends], firsts[new_ends] = nil, first
local texts = {}
for each, its_first in pairs(firsts) do texts[#texts + 1] = each .. ':' .. its_first end
table.sort(texts)
desk.set('more:' .. agent.id, table.concat(texts, ','))
agents.write(agent)
timers.set(timers.WRAP_UP .. agent.id, earliest)
desk.log('more_time', 'a', agent.id, 'w', new_ends)
desk.tell('agent', '-', agent.id)
desk.close()
return { 'ok', int(desk.seq), new_ends }
