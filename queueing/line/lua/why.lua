--[[ line/why
Purpose: Reads why no agent serves a visitor now: a part of the desk's agents, each with its reason and the facts.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] cursor         0 at first, then as the reply said
ARGV[3] count          roughly how many, 1 to 1 000
Reply: [cursor, seq, state of the visit, mode of its queue, status of the desk, now ms], then four each: agent, reason,
  two facts ("" = none): offline; queue (serves others); away: since ms; paused: since ms, word; leaving: p or l;
  skill: "name:own level:needed level", 1 = has a free slot; offered; at_capacity: used, capacity; wrap_up: until ms;
  declined: ms left; free
Errors: "no such desk", "script outdated …", "gone", "malformed count"
Complexity: O(count)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
local cursor, count = ARGV[2], words.count(ARGV[3])
if not words.is_cursor(cursor) or not count then return { 'malformed count' } end
local conf = queues.of(visit.queue)
local start = lines.of_queue(visit.queue)

-- The agents who have declined it → the ms for which that counts.
local declined = {}
for _, one in ipairs(conf and declines.all() or {}) do
  local left_ms = one.visit == visit.id and declines.left_ms(one, conf)
  if left_ms then declined[one.agent] = left_ms end
end

-- When the first wrap-up of an agent ends, in ms as text.
local function first_wrap_up(agent)
  local first
  for kind, until_ms in agents.slots_of(agent) do
    if kind == agents.WRAP_UP and (not first or until_ms + 0 < first + 0) then first = until_ms end
  end
  return first
end

-- Why an agent who is there does not take this visitor, as far as its rooms are concerned.
local function reason_of_rooms(agent)
  if agent.offered then return 'offered' end
  if agent.used < agent.capacity then return nil end
  if agent.rooms < agent.used then return 'wrap_up', first_wrap_up(agent) end
  return 'at_capacity', int(agent.used), int(agent.capacity)
end

local function reason_of(agent)
  if agent.state == 'offline' then return 'offline' end
  if not string.find(agent.queues, start, 1, true) then return 'queue' end
  if agent.away or silence.of_agent(agent) then return 'away', presence.heard_ms(agent) end
  if agent.state == 'paused' then return 'paused', agent.since, agent.word end
  if agent.pending ~= 'nothing' then return 'leaving', agents.PENDING_LETTER[agent.pending] end
  local waited_us, relax_us = desk.now - visit.joined, conf and conf.relax_us or 0
  local name, own, needed = skills.lacking(visit.need + 0, agent.profile + 0, waited_us, relax_us)
  local reason, one, other = reason_of_rooms(agent)
  if name then return 'skill', name .. ':' .. own .. ':' .. needed, reason and '' or '1' end
  if reason then return reason, one, other end
  if declined[agent.id] then return 'declined', int(declined[agent.id]) end
  return 'free'
end

local next_cursor, page = unpack(redis.call('HSCAN', desk.tag .. ':agents', cursor, 'COUNT', count))
local mode = conf and conf.letter or ''
local reply = { next_cursor, int(desk.seq), visits.LETTER[visit.state], mode, desk.letter, desk.at_ms }
for place = 1, #page, 2 do
  local agent = agents.parse(page[place], page[place + 1])
  local reason, one, other = reason_of(agent)
  for _, word in ipairs({ agent.id, reason, one or '', other or '' }) do reply[#reply + 1] = word end
end
return reply
