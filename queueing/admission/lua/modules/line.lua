-- The line of waiting holders and devices, and whose turn it is, by cap, rate and order of arrival.
local line = {}

line.SECOND_US = 1000000
line.MS_US = 1000
line.SILENT_AT_ONCE = 100
line.SILENT_PERIODS = 2

-- Whether this many slots may be taken at once: the gate is open and has room, and no one is waiting.
function line.is_clear(weight)
  local conf = gate.conf
  return conf.status == 'open' and not conf.rated and not gate.line_moved
    and (not conf.fair or gate.waiting == '0') and permits.count() + weight <= conf.cap
end

-- Ends the wait of up to 100 that have not asked for two periods. Returns how many.
function line.forget_silent()
  if gate.silent_gone then return 0 end
  local seen = gate.tag .. ':seen'
  local latest = string.format('(%d', gate.due - line.SILENT_PERIODS * gate.conf.period_us)
  local silent = redis.call('ZRANGEBYSCORE', seen, '-inf', latest, 'LIMIT', 0, line.SILENT_AT_ONCE)
  gate.silent_gone = #silent < line.SILENT_AT_ONCE
  if #silent > 0 then
    for _, who in ipairs(silent) do line.weigh(who, 1) end
    redis.call('ZREM', gate.tag .. ':line', unpack(silent))
    redis.call('ZREM', seen, unpack(silent))
    gate.line_moved = true
  end
  return #silent
end

-- Returns nil if it is this one's turn, otherwise the reason. Then how many are before it (nil: no line), and how many
-- slots are kept for the heavy ones among them.
function line.turn(who, weight)
  if gate.conf.fair then line.forget_silent() end
  return line.judge(who, weight)
end

-- Like line.turn, but writes nothing. The look-ahead must not use slots that a heavy one ahead is waiting for.
-- Otherwise it would wait forever while light ones come and go.
function line.judge(who, weight)
  local conf, rank, kept = gate.conf, nil, 0
  if conf.fair then rank, kept = line.before(who) end
  if conf.status == 'paused' then return 'paused', rank, kept end
  local free = conf.cap - permits.used()
  if free < weight then return conf.status == 'recovering' and 'recovering' or 'full', rank, kept end
  if line.is_too_soon(weight) then return 'rate', rank, kept end
  local left = free - kept - weight
  if conf.fair and (left < 0 or rank >= conf.look_ahead * (left + 1)) then return 'turn', rank, kept end
  return nil, rank, kept
end

-- How many are before this one, which is in the line or would join its end, and the slots that the heavy ones among
-- them need.
function line.before(who)
  local key, heavy = gate.tag .. ':line', gate.tag .. ':heavy'
  local rank = redis.call('ZRANK', key, who)
  if not rank then return redis.call('ZCARD', key), weights.sum(heavy) end
  return rank, rank > 0 and weights.sum(heavy, nil, line.arrival_of(who)) or 0
end

-- The µs of an arrival, as text of 16 digits.
function line.arrival_of(who)
  return string.format('%016d', redis.call('ZSCORE', gate.tag .. ':line', who))
end

-- The weight of one in the line. Heavy ones are in {gate}:heavy (weights.lua) by their arrival, and by their name as
-- "=<name> <weight>".
function line.weight_of(who)
  local first, before = '[=' .. who .. ' ', '(=' .. who .. '!'
  local found = redis.call('ZRANGEBYLEX', gate.tag .. ':heavy', first, before, 'LIMIT', 0, 1)[1]
  return found and string.match(found, '%d+$') + 0 or 1
end

-- Records the weight of one in the line from now on. It is 1 when it leaves.
function line.weigh(who, weight)
  local key, before = gate.tag .. ':heavy', line.weight_of(who)
  if before == weight then return end
  local arrival = line.arrival_of(who)
  if before > 1 then
    weights.remove(key, arrival, who, before)
    redis.call('ZREM', key, '=' .. who .. ' ' .. string.format('%d', before))
  end
  if weight > 1 then
    weights.add(key, arrival, who, weight)
    redis.call('ZADD', key, 0, '=' .. who .. ' ' .. string.format('%d', weight))
  end
end

-- Whether this many more starts in a second exceed the rate. One that is heavier than the rate starts in a second of
-- its own.
function line.is_too_soon(weight)
  if not gate.conf.rated then return false end
  local start = redis.call('LINDEX', gate.tag .. ':starts', math.max(0, gate.conf.rate - weight))
  return start and start + line.SECOND_US > gate.now
end

-- Records this many starts, if there is a rate.
function line.started(weight)
  local rate = gate.conf.rate
  if not gate.conf.rated then return end
  for _ = 1, math.min(weight, rate) do redis.call('LPUSH', gate.tag .. ':starts', gate.at) end
  redis.call('LTRIM', gate.tag .. ':starts', 0, rate - 1)
end

-- Adds one to the end of the line, or records that it has asked again.
function line.stand(who, weight)
  if not gate.conf.fair then return end
  local arrival = gate.arrival or (gate.field('arrival') or 0) + 0
  local mine = gate.now > arrival and gate.now or arrival + 1
  if redis.call('ZADD', gate.tag .. ':line', 'NX', string.format('%d', mine), who) == 1 then
    gate.arrival, gate.line_moved = mine, true
  end
  redis.call('ZADD', gate.tag .. ':seen', gate.at, who)
  line.weigh(who, weight)
end

function line.leave(who)
  line.weigh(who, 1)
  if redis.call('ZREM', gate.tag .. ':line', who) == 1 then
    redis.call('ZREM', gate.tag .. ':seen', who)
    gate.line_moved = true
  end
end

-- Records how many are waiting, for requests that check whether the line is clear.
function line.count()
  gate.set_number('line', redis.call('ZCARD', gate.tag .. ':line'))
  if gate.arrival then gate.set_number('arrival', gate.arrival) end
end

-- For a waiting one: its place from 1, the estimate, and when to ask again, both in s. '' if unknown.
function line.prospect(rank, reason, weight, kept)
  local conf = gate.conf
  local place = rank and string.format('%d', rank + 1) or ''
  if reason == 'rate' then return place, '1', '1' end
  if not rank or reason == 'paused' or reason == 'recovering' then
    return place, '', string.format('%d', conf.period_seconds)
  end
  local mean = permits.mean_hold()
  local hold = mean > 0 and mean or conf.permit_us / 2
  local estimate = math.ceil((rank + kept + weight) * hold / conf.cap / line.SECOND_US)
  local again = math.max(1, math.min(conf.period_seconds, estimate))
  return place, string.format('%d', estimate), string.format('%d', again)
end
