--[[ line/join
Purpose: A visitor comes: into a room, an offer or the line, or is refused; who is there already keeps the place.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] queue          its id
ARGV[3] class          1 (first) to 9
ARGV[4] skills         "name:level,…" in order of names, or ""
ARGV[5] arrived        µs since 1970 by a token that proves it, or ""
ARGV[6] anyway         1 = waits though no agent is there (a token was shown)
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended,
  or a refusal: no_agent, closed, full
Errors: "no such desk", "script outdated …", "no such queue", "malformed …"
Complexity: O(log n + skill sets), for each of at most 20 silent agents that are passed over
Version: 1
]]
local MOST_LETTERS, TICKET_DIGITS = 32, 16

-- The queue into which somebody who comes is let: this one, or the one it overflows into. nil and the refusal: closed,
-- full, no_agent. anyway: also where nobody serves.
local function entry(id, anyway)
  local conf = queues.of(id)
  if not conf.is_open then return nil, 'closed' end
  if not queues.takes(id) then
    local other = conf.overflow ~= '0' and queues.of(conf.overflow)
    if not other or not other.is_open or not queues.takes(conf.overflow) then return nil, 'full' end
    id, conf = conf.overflow, other
  end
  if conf.without_agents ~= 'wait' and not anyway and queues.online(id) == 0 then return nil, 'no_agent' end
  return id
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local id, queue, class, needed, arrived = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or '', ARGV[5] or ''
local anyway = ARGV[6] == '1'
if #id > MOST_LETTERS or not string.find(id, '^[%w_-]+$') then return { 'malformed visit' } end
if not string.find(class, visits.CLASS) then return { 'malformed class' } end
if skills.are_malformed(needed) then return { 'malformed skills' } end
if arrived ~= '' and (#arrived ~= TICKET_DIGITS or string.find(arrived, '%D')) then return { 'malformed arrived' } end
local conf = queues.of(queue)
if not conf then return { 'no such queue' } end
local known = visits.read(id)
if known then
  if known.state == 'ended' then return visits.reply(known) end
  presence.welcome_visitor(known)
  desk.close()
  return visits.reply(known)
end
if arrived == '' then -- who has waited before is let in
  local no_entry
  queue, no_entry = entry(queue, anyway)
  if no_entry then return desk.answer(no_entry) end
  conf = queues.of(queue)
end
local need = skills.number_of_need(needed)
if not need then return { 'malformed skills' } end

local ticket, joined
if arrived == '' then ticket, joined = tickets.next() else ticket = int(math.min(arrived + 0, desk.now)) end
local visit = visits.new(id, queue, class, ticket, joined or ticket, need)
desk.joined = int(desk.joined + 1)
presence.beat_visitor(visit)
-- Matched at once when an agent is free: nobody ready is before it then, or the agent would be taken.
local agent = desk.is_open and conf.mode ~= 'manual' and matching.heard_agent(visit, conf)
visits.log('join', visit, 'd', '+', 'n', need)
if agent then
  visit.is_logged = true
  matching.join_them(visit, agent, conf)
else
  visits.write(visit)
  timers.start_longest_wait(visit, conf)
  timers.start_relax(visit, conf)
end
desk.close()
return visits.reply(visit)
