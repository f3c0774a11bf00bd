-- How a visitor joins: used by line/join and line/joins for each visitor.
local joining = {}

joining.VISIT = '^[%w_-]+$'
joining.VISIT_LETTERS = 32
joining.TICKET_DIGITS = 16

-- Which argument is malformed, or nil.
function joining.malformed(id, class, needed, arrived)
  if #id > joining.VISIT_LETTERS or not string.find(id, joining.VISIT) then return 'malformed visit' end
  if not string.find(class, visits.CLASS) then return 'malformed class' end
  if skills.are_malformed(needed) then return 'malformed skills' end
  if arrived ~= '' and (#arrived ~= joining.TICKET_DIGITS or string.find(arrived, '%D')) then
    return 'malformed arrived'
  end
end

-- The queue that a new visitor joins: this one, or the one that it overflows into. Returns nil and the reason for a
-- refusal: closed, full, no_agent. anyway: also a queue without agents.
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

-- Lets a visitor join, or refuses. A visitor who has already joined keeps its place. Takes the arguments of line/join
-- and returns its reply. The desk is open, and the caller closes it.
function joining.join(id, queue, class, needed, arrived, anyway)
  local malformed = joining.malformed(id, class, needed, arrived)
  if malformed then return { malformed } end
  if not queues.of(queue) then return { 'no such queue' } end
  desk.passed_over = 0 -- each visitor has all the agents whom one operation may pass over
  local known = visits.read(id)
  if known then
    if known.state ~= 'ended' then presence.welcome_visitor(known) end
    return visits.reply(known)
  end
  if arrived == '' then -- a visitor who has waited before may always join
    local no_entry
    queue, no_entry = joining.entry(queue, anyway == '1')
    if no_entry then return desk.answer(no_entry) end
  end
  local need = skills.number_of_need(needed)
  if not need then return { 'malformed skills' } end
  local ticket, joined
  if arrived == '' then ticket, joined = tickets.next() else ticket = int(math.min(arrived + 0, desk.now)) end
  local visit = visits.new(id, queue, class, ticket, joined or ticket, need)
  joining.begin(visit, queues.of(queue), arrived ~= '')
  return visits.reply(visit)
end

-- Begins a visit. It is matched at once if an agent is free. No visitor who can be matched is before it then, because
-- that visitor would have the agent. waits_anew: the longest wait does not count from the arrival.
function joining.begin(visit, conf, waits_anew)
  desk.joined = int(desk.joined + 1)
  presence.beat_visitor(visit)
  local agent = desk.is_open and conf.mode ~= 'manual' and matching.heard_agent(visit, conf)
  visits.log('join', visit, 'd', '+', 'n', visit.need)
  if agent then
    visit.is_logged = true
    matching.join_them(visit, agent, conf)
  else
    visits.write(visit)
  end
  if not visits.IN_LINE[visit.state] then return end
  if waits_anew then timers.restart_longest_wait(visit, conf) else timers.start_longest_wait(visit, conf) end
  timers.start_relax(visit, conf)
end
