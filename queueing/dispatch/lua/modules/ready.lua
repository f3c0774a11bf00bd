-- {disp}:ready: the instances that may be given sessions, by their load. They are active, open, not
-- drained by an upgrade, and have told their sessions. Full ones are behind all others. Shared in turn,
-- the score is a virtual time, which the group's field `turn` carries on.
local ready = {}

ready.FULL = 1000000000000000
ready.BELOW_FULL = '(1000000000000000'

function ready.leave(back)
  redis.call('ZREM', group.tag .. ':ready', back.id)
end

-- The score that an instance begins with, shared in turn.
function ready.next_turn(back)
  return (group.field('turn') or 0) + 1 / back.weight
end

function ready.put(back, score)
  redis.call('ZADD', group.tag .. ':ready', string.format('%.17g', score), back.id)
end

-- Its load has changed.
function ready.weigh(back, sessions)
  local before = redis.call('ZSCORE', group.tag .. ':ready', back.id)
  if not before then return end
  if sessions >= back.capacity + 0 then
    ready.put(back, ready.FULL + sessions / back.weight)
  elseif group.conf.sharing ~= 'turn' then
    ready.put(back, sessions / back.weight)
  elseif before + 0 >= ready.FULL then
    ready.put(back, ready.next_turn(back))
  end
end

-- Whether it may be given sessions has perhaps changed.
function ready.settle(back)
  local name = names.of(back.name)
  if back.state ~= 'active' or back.is_telling or name.manual ~= 'open' or name.is_upgrading then
    ready.leave(back)
    return
  end
  local score = group.conf.sharing == 'turn' and ready.next_turn(back) or 0
  redis.call('ZADD', group.tag .. ':ready', 'NX', string.format('%.17g', score), back.id)
  ready.weigh(back, peers.sessions(back))
end

-- Shared in turn, one that is given a session is next when all others of its weight have been given one.
function ready.take_turn(back)
  local turn = redis.call('ZSCORE', group.tag .. ':ready', back.id)
  group.set('turn', turn)
  ready.put(back, turn + 1 / back.weight)
end
