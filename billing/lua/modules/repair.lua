-- After a clock that was ahead was set back: holds that began meanwhile count from now, and postponed ends are due as
-- before.
local repair = {}

-- Corrects some of the open holds. The hash's field `ahead` has the cursor. Returns whether more are left.
function repair.put_back(limit)
  local place = wallet.field('ahead')
  if not place then return false end
  local page = redis.call('ZSCAN', wallet.tag .. ':deadlines', place, 'COUNT', limit)
  for index = 1, #page[2], 2 do repair.put_back_hold(page[2][index]) end
  place = page[1]
  if place == '0' then
    redis.call('HDEL', wallet.tag, 'ahead')
    return false
  end
  redis.call('HSET', wallet.tag, 'ahead', place)
  return true
end

-- Writes at once, because the due holds are looked up next.
function repair.put_back_hold(id)
  local message = messages.parse(id, redis.call('HGET', wallet.tag .. ':messages', id))
  if not message or not messages.OPEN[message.state] then return end
  if message.since + 0 > wallet.now then
    message.since = wallet.at
    redis.call('HSET', wallet.tag .. ':messages', id, messages.record(message))
  end
  redis.call('ZADD', wallet.tag .. ':deadlines', string.format('%d', messages.ends(message)), id)
end
