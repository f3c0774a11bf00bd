-- Work that becomes due with time. The timers do it (numbers/sweep). If none are running, events do a part of it:
-- `keep_up` what no event may ignore, `catch_up` before a call is refused because no number is free.
-- Rarely needed.
local upkeep = {}

upkeep.CONTACTS_AT_ONCE = 500
upkeep.DAY_S = 86400
upkeep.LONGEST_DAY_S = 90000 -- a day of 25 hours; a later end was set by a clock that was ahead
upkeep.SECOND_US = 1000000
upkeep.SERVE_US = 200000 -- how often waiting calls are served
upkeep.REMOVED_AT_ONCE = 1000

-- Updates the day of the caps, and ends registrations that have expired.
function upkeep.keep_up()
  upkeep.roll_day()
  contacts.end_due(upkeep.CONTACTS_AT_ONCE)
end

-- Does a part of the due work. Returns whether a number may be free now.
function upkeep.catch_up()
  local most = repair.AT_ONCE
  local has_rolled = upkeep.roll_day()
  repair.put_back(most)
  local freed = repair.shorten(most)
  if pool.conf.next_call_us <= pool.now then
    local released, is_more = lives.release(most)
    local renewed, suspected, lapsed = lapsing.end_due(most)
    freed = freed + released + lapsed
    local is_full = is_more or renewed + suspected + lapsed >= most
    pool.set_column('next_call', columns.time(is_full and 0 or lapsing.next_us()))
  end
  return has_rolled or freed > 0
end

-- Sets the end of the day for daily caps to the next midnight of the list that Python wrote. After the end of the list,
-- each day adds 24 hours. Returns whether the day has changed.
function upkeep.roll_day()
  local seconds, day_end = math.floor(pool.now / upkeep.SECOND_US), pool.conf.day + 0
  if seconds < day_end and day_end - seconds <= upkeep.LONGEST_DAY_S then return false end
  local next_end = nil
  for day in string.gmatch(pool.field('days') or '', '%d+') do
    day = day + 0
    if day > seconds then
      if day - seconds <= upkeep.LONGEST_DAY_S then next_end = day end
      break
    end
    day_end = math.max(day_end, day)
  end
  local days = math.floor((seconds - day_end) / upkeep.DAY_S + 1)
  pool.set_column('day', string.format('%010d', next_end or day_end + upkeep.DAY_S * days))
  return true
end

-- The earliest time at which work is due. Registrations are due in 1 s at the earliest.
function upkeep.next_us()
  local next_us = math.min(lapsing.next_us(), pool.conf.day_us)
  if pool.conf.special then next_us = math.min(next_us, pool.now + upkeep.SERVE_US) end
  local first = redis.call('ZRANGE', contacts.registrations(), 0, 0, 'WITHSCORES')[2]
  if first then next_us = math.min(next_us, pool.now + upkeep.SECOND_US, clock.contact_ends(first + 0)) end
  local opens_us = pool.conf.status == 'recovering' and recovery.opens_us()
  if opens_us then next_us = math.min(next_us, clock.call_ends(opens_us)) end
  return next_us
end

-- Deletes expired records of the index, checking about this many fields. It walks the index with a cursor, so events
-- don't have to keep an order of expiry. Returns how many were deleted.
function upkeep.forget(count)
  index.flush()
  local page = redis.call('HSCAN', pool.tag, pool.field('forgetting') or '0', 'COUNT', count)
  local gone, old_us = {}, clock.contacts_due() - ids.KEPT_US
  for place = 1, #page[2], 2 do
    if upkeep.is_over(page[2][place], page[2][place + 1], old_us) then gone[#gone + 1] = page[2][place] end
  end
  for _, part in ipairs(upkeep.parts(gone)) do redis.call('HDEL', pool.tag, unpack(part)) end
  pool.set('forgetting', page[1])
  return #gone
end

function upkeep.is_over(field, value, old_us)
  local kind = string.match(field, '^(%a:)')
  if kind == 'c:' then
    local known = ids.parse(value)
    return known.at ~= nil and known.at + 0 <= old_us
  elseif kind == 's:' then
    return string.match(value, sticky.RECORD) + 0 <= pool.now
  elseif kind == 'x:' then
    return string.match(value, lists.STRANGER) + 0 <= old_us
  elseif kind == 'a:' then
    return not spellings.is_stored(value)
  end
  return false
end

-- Removes numbers that can't be picked from the near numbers (idle.lua), checking about this many with a cursor.
function upkeep.tidy_near(count)
  local near = pool.tag .. ':idle:near'
  local page = redis.call('ZSCAN', near, pool.field('near_cursor') or '0', 'COUNT', count)
  local gone = {}
  for place = 1, #page[2], 2 do
    local state = states.read(page[2][place])
    if not state or not states.can_be_picked(state) then gone[#gone + 1] = page[2][place] end
  end
  for _, part in ipairs(upkeep.parts(gone)) do redis.call('ZREM', near, unpack(part)) end
  pool.set('near_cursor', page[1])
end

-- Splits members into lists that fit one command.
function upkeep.parts(members)
  local parts = {}
  for first = 1, #members, upkeep.REMOVED_AT_ONCE do
    parts[#parts + 1] = { unpack(members, first, math.min(first + upkeep.REMOVED_AT_ONCE - 1, #members)) }
  end
  return parts
end
