-- Permits that are not returned by their holder: they expire, or an operator frees them.
-- Rarely needed.
local endings = {}

-- Writes a history entry about a permit, and about its task if it has one.
function endings.log(event, holder, permit, task, reason)
  gate.log(event, holder, permit.token, permit.deadline, permit.task, task and task.attempt, task and task.batch,
    reason, permits.weight_told(permit))
end

-- Ends a permit of any holder: the original scripts' caller, a name, or a device, whose task goes back.
function endings.finish(holder, permit, event, reason)
  local task = permit.task and tasks.read(permit.task)
  if string.find(holder, '#', 1, true) then permits.drop_anonymous(holder, permit) else permits.drop(holder, permit) end
  endings.log(event, holder, permit, task, reason)
  gate.count(event)
  if task then tasks.give_back(task) end
end

-- Ends up to `limit` permits that are over. Returns how many there were.
function endings.expire(limit)
  local key = gate.tag .. ':permits'
  local over = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%d', gate.due), 'LIMIT', 0, limit)
  for _, holder in ipairs(over) do
    local permit = permits.of(holder)
    if permit then endings.finish(holder, permit, 'expired') else redis.call('ZREM', key, holder) end
  end
  if #over < limit then weights.forget(gate.tag .. ':weights', string.format('%d', gate.due + 1), limit) end
  return #over
end
