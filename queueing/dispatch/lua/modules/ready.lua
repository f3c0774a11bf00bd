-- {disp}:ready: the instances that may be given sessions, by their load. They are active, open, not
-- drained by an upgrade nor ejected, and have told their sessions. Backup instances are behind all others,
-- full ones behind both. Shared in turn, the score is a virtual time, which the group's field `turn`
-- carries on.
local ready = {}

ready.FULL = 1000000000000000
ready.BELOW_FULL = '(1000000000000000'
ready.BACKUP = 1000000000000
ready.BELOW_BACKUP = '(1000000000000'

function ready.leave(back)
  redis.call('ZREM', group.tag .. ':ready', back.id)
end

-- What is added to the score of an instance with this one: it is a backup, or not.
function ready.tier(score)
  return score % ready.FULL >= ready.BACKUP and ready.BACKUP or 0
end

-- The share of new sessions that an instance has.
function ready.share(back)
  if group.conf.slow_start_us == 0 then return back.weight end
  return back.weight * health.warmth(back.name)
end

-- The score that an instance begins with, shared in turn.
function ready.next_turn(back)
  return (group.field('turn') or 0) + 1 / ready.share(back)
end

function ready.put(back, score)
  redis.call('ZADD', group.tag .. ':ready', string.format('%.17g', score), back.id)
end

-- Its load has changed.
function ready.weigh(back, sessions)
  local before = redis.call('ZSCORE', group.tag .. ':ready', back.id)
  if not before then return end
  local tier = ready.tier(before + 0)
  if sessions >= back.capacity + 0 then
    ready.put(back, ready.FULL + tier + sessions / back.weight)
  elseif group.conf.sharing ~= 'turn' then
    ready.put(back, tier + sessions / ready.share(back))
  elseif before + 0 >= ready.FULL then
    ready.put(back, tier + ready.next_turn(back))
  end
end

-- Whether it may be given sessions has perhaps changed.
function ready.settle(back)
  local name = names.of(back.name)
  local is_out = back.state ~= 'active' or back.is_telling or name.manual ~= 'open' or name.is_upgrading
  if is_out or health.is_ejected(name.name) then
    ready.leave(back)
    return
  end
  local tier = names.is_backup(name.name) and ready.BACKUP or 0
  local before = redis.call('ZSCORE', group.tag .. ':ready', back.id)
  if not before or ready.tier(before + 0) ~= tier then
    ready.put(back, tier + (group.conf.sharing == 'turn' and ready.next_turn(back) or 0))
  end
  ready.weigh(back, peers.sessions(back))
end

-- Shared in turn, one that is given a session is next when all others of its weight have been given one.
function ready.take_turn(back)
  local score = redis.call('ZSCORE', group.tag .. ':ready', back.id) + 0
  group.set('turn', string.format('%.17g', score - ready.tier(score)))
  ready.put(back, score + 1 / ready.share(back))
end
