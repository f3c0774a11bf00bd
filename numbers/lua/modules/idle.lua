-- The numbers that can be picked: {pool}:idle:up, scored by the µs from which they may be picked, and {pool}:idle:near,
-- scored by region and ms, in pools that pick near numbers. A number that goes down or is deleted stays in the second
-- set, because removing it there would cost more than the rest of an `unreg`. A number that can be picked always has
-- its own time in it.
local idle = {}

idle.REGION = 1099511627776 -- 2^40 ms: the band of one region, from 2020 to 2054

-- The score of a number in the band of its region.
function idle.score(region, since)
  return string.format('%d', region * idle.REGION + math.ceil(since / 1000))
end

function idle.add(state)
  redis.call('ZADD', pool.tag .. ':idle:up', state.since, state.number)
  if pool.conf.near and state.region then
    redis.call('ZADD', pool.tag .. ':idle:near', idle.score(state.region, state.since), state.number)
  end
end

-- Like idle.add, for a number that may have been left in the second set.
function idle.enter(state)
  idle.add(state)
  if pool.conf.near and not state.region then idle.remove_near(state.number) end
end

-- is_out: the number has already been removed from the first set.
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

-- The number that has rested longest, or nil if none is ready.
function idle.first()
  return redis.call('ZRANGEBYSCORE', pool.tag .. ':idle:up', '-inf', pool.at, 'LIMIT', 0, 1)[1]
end

-- The time (µs) at which the first number may be picked, or nil if no number is idle.
function idle.first_at()
  return redis.call('ZRANGE', pool.tag .. ':idle:up', 0, 0, 'WITHSCORES')[2]
end
