-- The numbers that can be picked: {pool}:idle:up by the µs from which they may be, and where the
-- pool picks near ones {pool}:idle:near by region and ms. Going down and being deleted leave a number
-- in the second one: taking it out at once would cost more than all the rest of an `unreg`. Who can be
-- picked is always there by its own time.
local idle = {}

idle.REGION = 1099511627776 -- 2^40 ms: each region's band, from 2020 to 2054

-- The score of a number in its region's band.
function idle.score(region, since)
  return string.format('%d', region * idle.REGION + math.ceil(since / 1000))
end

function idle.add(state)
  redis.call('ZADD', pool.tag .. ':idle:up', state.since, state.number)
  if pool.conf.near and state.region then
    redis.call('ZADD', pool.tag .. ':idle:near', idle.score(state.region, state.since), state.number)
  end
end

-- The same of one that may have been left in the second set.
function idle.enter(state)
  idle.add(state)
  if pool.conf.near and not state.region then idle.remove_near(state.number) end
end

-- is_out: it has been taken out of the first set already.
function idle.remove(number, region, is_out)
  if not is_out then redis.call('ZREM', pool.tag .. ':idle:up', number) end
  if pool.conf.near and region then idle.remove_near(number) end
end

function idle.take_out(number)
  redis.call('ZREM', pool.tag .. ':idle:up', number)
  if pool.conf.near then idle.remove_near(number) end
end

function idle.remove_near(number)
  redis.call('ZREM', pool.tag .. ':idle:near', number)
end

-- The number that has rested longest; nil = none is ready.
function idle.first()
  return redis.call('ZRANGEBYSCORE', pool.tag .. ':idle:up', '-inf', pool.at, 'LIMIT', 0, 1)[1]
end

-- When the first number may be picked, µs; nil = none is idle.
function idle.first_at()
  return redis.call('ZRANGE', pool.tag .. ':idle:up', 0, 0, 'WITHSCORES')[2]
end
