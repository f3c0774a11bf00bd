--[[ line/why
Purpose: Why nobody serves a visitor now: a part of the agents of its queue, each with its reason.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] cursor         0 at first, then as the reply said
ARGV[3] count          roughly how many, 1 to 1 000
Reply: [cursor, seq, state of the visit, mode of its queue, status of the desk], then pairs: agent, reason (offline,
  away, paused, leaving, offered, at_capacity, wrap_up, skill, declined, free)
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
local declined = conf and declines.passed_over(conf, 'visit', visit.id, 'agent') or {}

local function reason_of(agent)
  if agent.state == 'offline' then return 'offline' end
  if agent.away then return 'away' end
  if agent.state == 'paused' then return 'paused' end
  if agent.pending ~= 'nothing' then return 'leaving' end
  local waited_us, relax_us = desk.now - visit.joined, conf and conf.relax_us or 0
  if not skills.suffice(visit.need + 0, agent.profile + 0, waited_us, relax_us) then return 'skill' end
  if agent.offered then return 'offered' end
  if agent.used >= agent.capacity then return agent.rooms < agent.used and 'wrap_up' or 'at_capacity' end
  if declined[agent.id] then return 'declined' end
  return silence.of_agent(agent) and 'away' or 'free'
end

local next_cursor, page = unpack(redis.call('HSCAN', desk.tag .. ':agents', cursor, 'COUNT', count))
local mode = conf and conf.letter or ''
local reply = { next_cursor, int(desk.seq), visits.LETTER[visit.state], mode, desk.letter }
local start = lines.of_queue(visit.queue)
for place = 1, #page, 2 do
  local agent = agents.parse(page[place], page[place + 1])
  if string.find(agent.queues, start, 1, true) then
    reply[#reply + 1] = agent.id
    reply[#reply + 1] = reason_of(agent)
  end
end
return reply
