-- Permits: who holds one, and how they begin and end. A permit is kept twice: its holder in
-- {gate}:permits by the deadline, and its record in the gate's hash as "=<holder>": token, deadline
-- and µs of the granting, 16 digits each; then for a device the number of its task, with u before
-- it as long as nobody has shown after a loss of Redis that the device is alive.
local permits = {}

permits.RECORD = 'c16c16c16'
permits.LEARNING = 0.05 -- how much the mean hold moves towards each hold that ends

-- The permit that a record tells of, over or not; nil without one. Its times are text.
function permits.parse(record)
  if not record then return nil end
  local token, deadline, granted, rest = struct.unpack(permits.RECORD, record)
  local permit = { token = token, deadline = deadline, granted = granted }
  if #record >= rest then
    local unseen, task = string.match(record, '^(u?)(%d+)$', rest)
    permit.task, permit.unseen = task, unseen == 'u'
  end
  return permit
end

-- The permit that a holder has; nil = none.
function permits.of(holder)
  return permits.parse(gate.field('=' .. holder))
end

function permits.write(holder, permit)
  local record = permit.token .. permit.deadline .. permit.granted
  if permit.task then record = record .. (permit.unseen and 'u' or '') .. permit.task end
  redis.call('HSET', gate.tag, '=' .. holder, record)
end

-- One entry of the history about a permit that is for no task.
function permits.log(event, holder, permit, reason)
  local whose = holder .. '\t' .. permit.token .. '\t' .. permit.deadline
  gate.append(event .. '\t' .. whose .. '\t\t\t\t' .. reason .. '\t')
end

function permits.is_over(permit)
  return permit.deadline + 0 <= gate.due
end

-- All permits, also those that are over and not swept.
function permits.count()
  gate.held = gate.held or redis.call('ZCARD', gate.tag .. ':permits')
  return gate.held
end

-- Slots in use: permits that are not over, and after a loss those that somebody may still hold.
function permits.used()
  if not gate.used then
    gate.used = redis.call('ZCOUNT', gate.tag .. ':permits', string.format('(%d', gate.due), '+inf')
    if gate.conf.status == 'recovering' then gate.used = gate.used + permits.ghosts() end
  end
  return gate.used
end

-- How many permits of the life before may still be held; none told: the whole cap.
function permits.ghosts()
  return (gate.field('ghosts') or gate.conf.cap) + 0
end

-- The token of the permit that is granted next.
function permits.next_token()
  return string.format('%d', gate.generation + gate.seq + 1)
end

-- The deadline of a permit that begins now.
function permits.next_deadline()
  return string.format('%d', gate.now + gate.conf.permit_us)
end

-- Gives a holder a new permit; the caller has made sure that there is a slot.
function permits.grant(holder, task)
  local permit = { token = permits.next_token(), deadline = permits.next_deadline(), granted = gate.at, task = task }
  permits.add(holder, permit)
  if gate.used then gate.used = gate.used + 1 end
  gate.granted = gate.granted + 1
  return permit
end

function permits.add(holder, permit)
  redis.call('ZADD', gate.tag .. ':permits', permit.deadline, holder)
  permits.write(holder, permit)
  if gate.held then gate.held = gate.held + 1 end
end

-- A permit of the life before Redis was lost comes back: one ghost fewer, as many slots in use.
function permits.adopt(holder, permit)
  gate.set_number('ghosts', permits.ghosts() - 1)
  permits.add(holder, permit)
end

-- Moves the deadline on, up to the longest time since the granting and never back.
function permits.renew(holder, permit)
  local latest = math.min(gate.now + gate.conf.permit_us, permit.granted + gate.conf.longest_us)
  permit.deadline = string.format('%d', math.max(permit.deadline + 0, latest))
  permit.unseen = false
  redis.call('ZADD', gate.tag .. ':permits', permit.deadline, holder)
  permits.write(holder, permit)
end

-- Takes a permit away. Its slot is free then, unless its device may still be at work.
function permits.drop(holder, permit)
  redis.call('ZREM', gate.tag .. ':permits', holder)
  redis.call('HDEL', gate.tag, '=' .. holder)
  if gate.held then gate.held = gate.held - 1 end
  if permit.unseen and gate.conf.status == 'recovering' then
    gate.set_number('ghosts', permits.ghosts() + 1)
  elseif gate.used and not permits.is_over(permit) then
    gate.used = gate.used - 1
  end
end

-- The same of an anonymous one.
function permits.drop_anonymous(holder, permit)
  redis.call('ZREM', gate.tag .. ':anon', holder)
  permits.drop(holder, permit)
end

-- The mean length of a hold in µs; 0: none has ended yet.
function permits.mean_hold()
  return gate.hold or (gate.field('hold') or 0) + 0
end

-- The mean hold learns from one that ends now: nothing over a step of the clock.
function permits.learn(permit)
  local lasted = gate.now - permit.granted
  if gate.lag > 0 or lasted < 0 then return end
  local mean = permits.mean_hold()
  gate.hold = mean == 0 and lasted or mean + (lasted - mean) * permits.LEARNING
end
