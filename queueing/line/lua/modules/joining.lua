-- A visitor comes: what line/join and line/joins do for each one.
local joining = {}

joining.VISIT = '^[%w_-]+$'
joining.VISIT_LETTERS = 32
joining.TICKET_DIGITS = 16

-- Which of its words is malformed; nil = none.
function joining.malformed(id, class, needed, arrived)
  if #id > joining.VISIT_LETTERS or not string.find(id, joining.VISIT) then return 'malformed visit' end
  if not string.find(class, visits.CLASS) then return 'malformed class' end
  if skills.are_malformed(needed) then return 'malformed skills' end
  if arrived ~= '' and (#arrived ~= joining.TICKET_DIGITS or string.find(arrived, '%D')) then
    return 'malformed arrived'
  end
end

-- The queue into which somebody who comes is let: this one, or the one it overflows into. nil and the refusal: closed,
-- full, no_agent. anyway: also where nobody serves.
function joining.entry(id, anyway)
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

-- Lets a visitor in, or refuses it; who is there already keeps the place. Takes and answers the words of line/join, on
-- an open desk; the caller closes it.
function joining.join(id, queue, class, needed, arrived, anyway)
  local malformed = joining.malformed(id, class, needed, arrived)
  if malformed then return { malformed } end
  if not queues.of(queue) then return { 'no such queue' } end
  desk.passed_over = 0 -- each visitor has all the agents whom one call may pass over
  local known = visits.read(id)
  if known then
    if known.state ~= 'ended' then presence.welcome_visitor(known) end
    return visits.reply(known)
  end
  if arrived == '' then -- who has waited before is let in
    local no_entry
    queue, no_entry = joining.entry(queue, anyway == '1')
    if no_entry then return desk.answer(no_entry) end
  end
  local need = skills.number_of_need(needed)
  if not need then return { 'malformed skills' } end
  local ticket, joined
  if arrived == '' then ticket, joined = tickets.next() else ticket = int(math.min(arrived + 0, desk.now)) end
  local visit = visits.new(id, queue, class, ticket, joined or ticket, need)
  joining.begin(visit, queues.of(queue))
  return visits.reply(visit)
end

-- A visit begins. It is matched at once when an agent is free: nobody ready is before it then, or the agent would be
-- taken.
function joining.begin(visit, conf)
  desk.joined = int(desk.joined + 1)
  presence.beat_visitor(visit)
  local agent = desk.is_open and conf.mode ~= 'manual' and matching.heard_agent(visit, conf)
  visits.log('join', visit, 'd', '+', 'n', visit.need)
  if agent then
    visit.is_logged = true
    matching.join_them(visit, agent, conf)
  else
    visits.write(visit)
    timers.start_longest_wait(visit, conf)
    timers.start_relax(visit, conf)
  end
end
