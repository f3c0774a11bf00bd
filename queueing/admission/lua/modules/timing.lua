-- When the gate next has something due.
local timing = {}

timing.LOOK_AGAIN_US = 1000000 -- for running tasks of a batch that is over: they end gradually

-- The earliest time at which something is due, as of now. What begins later lasts for one permit or two report periods,
-- or longer.
function timing.next_us()
  local conf = gate.conf
  local silence = line.SILENT_PERIODS * conf.period_us
  local next_us = gate.now + (conf.fair and math.min(conf.permit_us, silence) or conf.permit_us)
  next_us = math.min(next_us, timing.of_permits(next_us))
  if conf.fair and gate.lag == 0 then next_us = earliest(next_us - silence, gate.tag .. ':seen') + silence end
  for _, batch in ipairs(batches.all()) do next_us = math.min(next_us, timing.of_batch(batch, next_us)) end
  if conf.status == 'recovering' and gate.field('loaded') == '1' then
    next_us = math.min(next_us, (gate.field('open_at') or next_us) + gate.lag)
  end
  local rules = conf.status == 'open' and conf.adaptive and settings.adaptation(gate.field('adapt') or '')
  if rules then next_us = math.min(next_us, (gate.field('win_at') or 0) + rules.interval_us) end
  return next_us
end

-- When the first permit ends, if the clock is right.
function timing.of_permits(latest)
  local first = redis.call('ZRANGE', gate.tag .. ':permits', 0, 0, 'WITHSCORES')[2]
  if not first then return latest end
  if gate.lag == 0 then return first + 0 end
  return math.min(first + gate.lag, math.max(first + 0, gate.settles))
end

function timing.of_batch(batch, latest)
  if batch.status == 'open' or batch.status == 'paused' then return batch.ends + gate.lag end
  return batch.closed == '' and gate.now + timing.LOOK_AGAIN_US or latest
end
