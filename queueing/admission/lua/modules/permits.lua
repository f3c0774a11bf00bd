-- Permits: their holders, and how they begin and end. A permit is stored twice: its holder in {gate}:permits by the
-- deadline, and its record in the gate's hash as "=<holder>". The record has token, deadline and µs of the grant, 16
-- digits each; then for a device the number of its task, after u if Redis was lost and the device has not shown since
-- that it is alive; then w and the weight if it is more than 1; then r if its holder has asked for it again. The part
-- of a weight beyond 1 is in {gate}:weights (weights.lua) by the deadline.
local permits = {}

permits.RECORD = 'c16c16c16'
permits.SUFFIX = '^(u?)(%d*)w?(%d*)(r?)$'
permits.LEARNING = 0.05 -- how much the mean hold moves towards each hold that ends

-- The permit in a record, whether over or not, or nil. Its times are text.
function permits.parse(record)
  if not record then return nil end
  local token, deadline, granted, rest = struct.unpack(permits.RECORD, record)
  local permit = { token = token, deadline = deadline, granted = granted, weight = 1 }
  if #record >= rest then
    local unseen, task, weight, asked = string.match(record, permits.SUFFIX, rest)
    if task ~= '' then permit.task, permit.unseen = task, unseen == 'u' end
    if weight ~= '' then permit.weight = weight + 0 end
    permit.asked_again = asked == 'r'
  end
  return permit
end

-- The permit of a holder, or nil.
function permits.of(holder)
  return permits.parse(gate.field('=' .. holder))
end

function permits.write(holder, permit)
  local record = permit.token .. permit.deadline .. permit.granted
  if permit.task then record = record .. (permit.unseen and 'u' or '') .. permit.task end
  if permit.weight > 1 then record = record .. 'w' .. string.format('%d', permit.weight) end
  if permit.asked_again then record = record .. 'r' end
  redis.call('HSET', gate.tag, '=' .. holder, record)
end

-- Writes a history entry about a permit without a task.
function permits.log(event, holder, permit, reason)
  local whose = holder .. '\t' .. permit.token .. '\t' .. permit.deadline
  gate.append(event .. '\t' .. whose .. '\t\t\t\t' .. reason .. '\t' .. permits.weight_told(permit))
end

-- The weight as the history has it: '' = 1.
function permits.weight_told(permit)
  return permit.weight > 1 and string.format('%d', permit.weight) or ''
end

function permits.is_over(permit)
  return permit.deadline + 0 <= gate.due
end

-- The slots of all permits, including those that are over but not swept.
function permits.count()
  gate.held = gate.held or redis.call('ZCARD', gate.tag .. ':permits') + weights.sum(gate.tag .. ':weights')
  return gate.held
end

-- Slots in use: the weights of permits that are not over, and after a loss those that may still be held.
function permits.used()
  if not gate.used then
    gate.used = redis.call('ZCOUNT', gate.tag .. ':permits', string.format('(%d', gate.due), '+inf')
      + weights.sum(gate.tag .. ':weights', string.format('%d', gate.due + 1))
    if gate.conf.status == 'recovering' then gate.used = gate.used + permits.ghosts() end
  end
  return gate.used
end

-- How many permits of the earlier generation may still be held. If unknown: the whole cap.
function permits.ghosts()
  return (gate.field('ghosts') or gate.conf.cap) + 0
end

-- The token of the next permit.
function permits.next_token()
  return string.format('%d', gate.generation + gate.seq + 1)
end

-- The deadline of a permit that begins now.
function permits.next_deadline()
  return string.format('%d', gate.now + gate.conf.permit_us)
end

-- Grants a new permit. The caller has checked that there are enough slots. weight: nil = 1.
function permits.grant(holder, task, weight)
  local permit = {
    token = permits.next_token(),
    deadline = permits.next_deadline(),
    granted = gate.at,
    task = task,
    weight = weight or 1,
  }
  permits.add(holder, permit)
  if gate.used then gate.used = gate.used + permit.weight end
  gate.granted = gate.granted + 1
  return permit
end

function permits.add(holder, permit)
  redis.call('ZADD', gate.tag .. ':permits', permit.deadline, holder)
  weights.add(gate.tag .. ':weights', permit.deadline, holder, permit.weight - 1)
  permits.write(holder, permit)
  if gate.held then gate.held = gate.held + permit.weight end
end

-- Restores a permit from before the loss of Redis: there are fewer ghosts, and the slots in use stay the same.
function permits.adopt(holder, permit)
  gate.set_number('ghosts', permits.ghosts() - permit.weight)
  permits.add(holder, permit)
end

-- Changes the end of the permit.
function permits.move(holder, permit, deadline)
  weights.remove(gate.tag .. ':weights', permit.deadline, holder, permit.weight - 1)
  weights.add(gate.tag .. ':weights', deadline, holder, permit.weight - 1)
  permit.deadline = deadline
  redis.call('ZADD', gate.tag .. ':permits', deadline, holder)
  permits.write(holder, permit)
end

-- Extends the deadline, up to the longest duration since the grant. It never moves back.
function permits.renew(holder, permit)
  local latest = math.min(gate.now + gate.conf.permit_us, permit.granted + gate.conf.longest_us)
  permit.unseen = false
  permits.move(holder, permit, string.format('%d', math.max(permit.deadline + 0, latest)))
end

-- Removes a permit. Its slot is free then, unless its device may still be working.
function permits.drop(holder, permit)
  redis.call('ZREM', gate.tag .. ':permits', holder)
  redis.call('HDEL', gate.tag, '=' .. holder)
  weights.remove(gate.tag .. ':weights', permit.deadline, holder, permit.weight - 1)
  if gate.held then gate.held = gate.held - permit.weight end
  if permit.unseen and gate.conf.status == 'recovering' then
    gate.set_number('ghosts', permits.ghosts() + permit.weight)
  elseif gate.used and not permits.is_over(permit) then
    gate.used = gate.used - permit.weight
  end
end

-- Removes an anonymous permit.
function permits.drop_anonymous(holder, permit)
  redis.call('ZREM', gate.tag .. ':anon', holder)
  permits.drop(holder, permit)
end

-- The mean length of a hold in µs, or 0 if none has ended yet.
function permits.mean_hold()
  return gate.hold or (gate.field('hold') or 0) + 0
end

-- Updates the mean with a hold that ends now, unless the clock has jumped.
function permits.learn(permit)
  local lasted = gate.now - permit.granted
  if gate.lag > 0 or lasted < 0 then return end
  local mean = permits.mean_hold()
  gate.hold = mean == 0 and lasted or mean + (lasted - mean) * permits.LEARNING
end
