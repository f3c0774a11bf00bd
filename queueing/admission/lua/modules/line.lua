-- The line of those who wait, and whose turn it is: the cap, the rate, the order of arrival.
local line = {}

line.SECOND_US = 1000000
line.SILENT_AT_ONCE = 100
line.SILENT_PERIODS = 2

-- Whether anybody may have a slot at once: the gate is open, has room, and nobody waits.
function line.is_clear()
  local conf = gate.conf
  return conf.status == 'open' and not conf.rated and not gate.line_moved
    and (not conf.fair or gate.waiting == '0') and permits.count() < conf.cap
end

-- Ends the wait of up to 100 who have not asked for two periods; returns of how many.
function line.forget_silent()
  if gate.silent_gone or gate.due < gate.now then return 0 end
  local seen = gate.tag .. ':seen'
  local latest = string.format('(%d', gate.now - line.SILENT_PERIODS * gate.conf.period_us)
  local silent = redis.call('ZRANGEBYSCORE', seen, '-inf', latest, 'LIMIT', 0, line.SILENT_AT_ONCE)
  gate.silent_gone = #silent < line.SILENT_AT_ONCE
  if #silent > 0 then
    redis.call('ZREM', gate.tag .. ':line', unpack(silent))
    redis.call('ZREM', seen, unpack(silent))
    gate.line_moved = true
  end
  return #silent
end

-- Returns nil when it is this one's turn, else why not; then how many stand before (nil: no line).
function line.turn(who)
  local conf, rank = gate.conf, nil
  if conf.fair then
    line.forget_silent()
    rank = redis.call('ZRANK', gate.tag .. ':line', who) or redis.call('ZCARD', gate.tag .. ':line')
  end
  if conf.status == 'paused' then return 'paused', rank end
  local free = conf.cap - permits.used()
  if free <= 0 then return conf.status == 'recovering' and 'recovering' or 'full', rank end
  if line.is_too_soon() then return 'rate', rank end
  if conf.fair and rank >= conf.look_ahead * free then return 'turn', rank end
  return nil, rank
end

-- Whether as many as the rate allows have started within this second.
function line.is_too_soon()
  if not gate.conf.rated then return false end
  local start = redis.call('LINDEX', gate.tag .. ':starts', gate.conf.rate - 1)
  return start and start + line.SECOND_US > gate.now
end

-- Notes a start, where there is a rate.
function line.started()
  if not gate.conf.rated then return end
  redis.call('LPUSH', gate.tag .. ':starts', gate.at)
  redis.call('LTRIM', gate.tag .. ':starts', 0, gate.conf.rate - 1)
end

-- Puts one at the end of the line, or notes that this one has asked again.
function line.stand(who)
  if not gate.conf.fair then return end
  local arrival = gate.arrival or (gate.field('arrival') or 0) + 0
  local mine = gate.now > arrival and gate.now or arrival + 1
  if redis.call('ZADD', gate.tag .. ':line', 'NX', string.format('%d', mine), who) == 1 then
    gate.arrival, gate.line_moved = mine, true
  end
  redis.call('ZADD', gate.tag .. ':seen', gate.at, who)
end

function line.leave(who)
  if redis.call('ZREM', gate.tag .. ':line', who) == 1 then
    redis.call('ZREM', gate.tag .. ':seen', who)
    gate.line_moved = true
  end
end

-- Notes how many wait, for those who ask whether the line is clear.
function line.count()
  gate.set_number('line', redis.call('ZCARD', gate.tag .. ':line'))
  if gate.arrival then gate.set_number('arrival', gate.arrival) end
end

-- For one who waits: the place from 1, the estimate, and when to ask again, both in s; '' where
-- nothing can be said.
function line.prospect(rank, reason)
  local conf = gate.conf
  local place = rank and string.format('%d', rank + 1) or ''
  if reason == 'rate' then return place, '1', '1' end
  if not rank or reason == 'paused' or reason == 'recovering' then
    return place, '', string.format('%d', conf.period_seconds)
  end
  local mean = permits.mean_hold()
  local hold = mean > 0 and mean or conf.permit_us / 2
  local estimate = math.ceil((rank + 1) * hold / conf.cap / line.SECOND_US)
  local again = math.max(1, math.min(conf.period_seconds, estimate))
  return place, string.format('%d', estimate), string.format('%d', again)
end
