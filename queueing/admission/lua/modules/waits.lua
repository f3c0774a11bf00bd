-- How long holders and devices wait from their first request to the permit: counts by bucket in {gate}:waits, as
-- "<minute> <bucket>" for recent ones, "t <bucket>" since the data began, and "us", the sum. Only a gate with a line
-- knows when the first request came. A wait during which the clock jumped is not counted.
local waits = {}

waits.MINUTE_US = 60000000
waits.MINUTES = 15 -- the age up to which waits are recent
waits.UNIT_US = 500000
-- The upper limit of each bucket except the last, in units.
waits.BOUNDS = { 0, 1, 2, 4, 10, 20, 40, 60, 120, 240, 600, 1200, 2400, 3600, 7200, 14400 }

-- Counts a wait that ends with a permit. Call this before the waiting one leaves the line.
function waits.note(who)
  if not gate.conf.fair then return end
  local arrival = redis.call('ZSCORE', gate.tag .. ':line', who)
  if not arrival then
    waits.count(0)
  elseif gate.lag == 0 and gate.now >= arrival + 0 then
    waits.count(gate.now - arrival)
  end
end

-- Counts a permit that was granted at once.
function waits.note_none()
  if gate.conf.fair then waits.count(0) end
end

function waits.count(waited_us)
  local bucket = 1
  while waits.BOUNDS[bucket] and waited_us > waits.BOUNDS[bucket] * waits.UNIT_US do bucket = bucket + 1 end
  gate.waits[bucket] = (gate.waits[bucket] or 0) + 1
  gate.waited_us = gate.waited_us + waited_us
end

function waits.this_minute()
  return math.floor(gate.now / waits.MINUTE_US)
end

-- Writes what this operation has counted.
function waits.keep()
  local key, is_new = gate.tag .. ':waits', false
  local minute = string.format('%d', waits.this_minute())
  for bucket, count in pairs(gate.waits) do
    is_new = redis.call('HINCRBY', key, minute .. ' ' .. bucket, count) == count or is_new
    redis.call('HINCRBY', key, 't ' .. bucket, count)
  end
  if gate.waited_us > 0 then redis.call('HINCRBY', key, 'us', string.format('%d', gate.waited_us)) end
  if is_new then waits.forget() end
end

-- Whether a minute, as text, is recent.
function waits.is_recent(minute)
  local age = waits.this_minute() - minute
  return age >= 0 and age < waits.MINUTES
end

-- Removes minutes that are no longer recent, or are in the future of a clock that was set back.
function waits.forget()
  local key, old = gate.tag .. ':waits', {}
  for _, name in ipairs(redis.call('HKEYS', key)) do
    local minute = string.match(name, '^(%d+) ')
    if minute and not waits.is_recent(minute) then old[#old + 1] = name end
  end
  if #old > 0 then redis.call('HDEL', key, unpack(old)) end
end

-- For pages: counts of the buckets in the recent minutes, and since the data began, separated by blanks, and the sum in
-- µs.
function waits.show()
  local recent, total = {}, {}
  for bucket = 1, #waits.BOUNDS + 1 do recent[bucket], total[bucket] = 0, 0 end
  local found, sum = redis.call('HGETALL', gate.tag .. ':waits'), '0'
  for place = 1, #found, 2 do
    local when, bucket = string.match(found[place], '^(%w+) (%d+)$')
    local count = found[place + 1]
    if found[place] == 'us' then
      sum = count
    elseif when == 't' then
      total[bucket + 0] = count
    elseif waits.is_recent(when) then
      recent[bucket + 0] = recent[bucket + 0] + count
    end
  end
  return table.concat(recent, ' '), table.concat(total, ' '), sum
end

-- The upper limits of the buckets except the last, in ms.
function waits.bounds_ms()
  local bounds = {}
  for place, units in ipairs(waits.BOUNDS) do
    bounds[place] = string.format('%d', units * waits.UNIT_US / line.MS_US)
  end
  return table.concat(bounds, ' ')
end
