-- {disp}:ready: the instances that may get sessions, by their load. They are active, open, neither drained by an
-- upgrade nor ejected, and have reported their sessions. Backup instances come after all others, full ones after both.
-- If instances are chosen in turn, the score is a virtual time, which the group's field `turn` continues.
local ready = {}

ready.FULL = 1000000000000000
ready.BELOW_FULL = '(1000000000000000'
ready.BACKUP = 1000000000000
ready.BELOW_BACKUP = '(1000000000000'

function ready.leave(back)
  redis.call('ZREM', group.tag .. ':ready', back.id)
end

-- The offset in this score: whether its instance is a backup or not.
function ready.tier(score)
  return score % ready.FULL >= ready.BACKUP and ready.BACKUP or 0
end

-- The share of new sessions that an instance gets.
function ready.share(back)
  if group.conf.slow_start_us == 0 then return back.weight end
  return back.weight * health.warmth(back.name)
end

-- The first score of an instance, if instances are chosen in turn.
function ready.next_turn(back)
  return (group.field('turn') or 0) + 1 / ready.share(back)
end

function ready.put(back, score)
  redis.call('ZADD', group.tag .. ':ready', string.format('%.17g', score), back.id)
end

-- The instance's load has changed.
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

-- Whether the instance may get sessions may have changed.
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

-- If chosen in turn, the instance is next after all others of its weight have had a session.
function ready.take_turn(back)
  local score = redis.call('ZSCORE', group.tag .. ':ready', back.id) + 0
  group.set('turn', string.format('%.17g', score - ready.tier(score)))
  ready.put(back, score + 1 / ready.share(back))
end
