-- Offers: an agent of a queue in offer mode accepts or declines a visitor.
local offers = {}

function offers.make(visit, agent, conf, reason)
  visit.state, visit.agent, visit.since, visit.word = 'offered', agent.id, desk.at_ms, reason
  visit.token = int(desk.seq + 1)
  agents.add_slot(agent, agents.OFFER, visit.id)
  timers.start(timers.OFFER .. agent.id, conf.offer_ms)
  local movement = visits.movement(visit)
  visits.write(visit)
  visits.log_with('offer', visit, agent.id, 'd', movement, 'w', reason)
  desk.tell('offer', visit.id, agent.id)
end

-- Withdraws an agent's offer. The caller decides what happens to the visitor.
function offers.drop(agent, visit)
  agents.drop_slot(agent, agents.OFFER, visit.id)
  timers.stop(timers.OFFER .. agent.id)
end

-- Counts a missed or declined offer. An agent who misses too many is paused.
function offers.count_miss(agent, visit)
  local conf = queues.of(visit.queue)
  agent.misses, agent.since = agent.misses + 1, desk.at_ms
  desk.log('miss', 'a', agent.id, 'v', visit.id, 'n', int(agent.misses))
  if conf and conf.misses_limit > 0 and agent.misses >= conf.misses_limit then
    agent.pending, agent.word = 'pause', 'missed_offers'
  end
  presence.settle(agent)
end

-- The visitor of a declined or missed offer waits again, and another agent is looked for. The agent is written and gets
-- its next visitor after that: a different one while another agent may serve this one.
function offers.pass_on(agent, visit, kind, reason)
  offers.count_miss(agent, visit)
  declines.add(agent, visit)
  local waits = agent.state == 'online' and agent.pending == 'nothing'
  if waits then agent.pending = 'one step' end
  agents.write(agent)
  rooms.requeue(visit, kind, reason)
  matching.match_visit(visit)
  if waits then
    local again = agents.read(agent.id)
    again.pending = 'nothing'
    matching.match_and_write(again)
  end
  desk.tell('agent', '-', agent.id)
end
