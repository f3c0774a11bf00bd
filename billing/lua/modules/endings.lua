-- Holds and reports whose time has passed. An operation that meets an expired hold or parked report ends it first, so
-- the result does not depend on when a sweep runs. A hold is still valid exactly at its deadline.
local endings = {}

-- The message in its current state, or false if it does not exist (any more). It must have been read before.
function endings.current(id)
  local message = wallet.known[id]
  if not message then return false end
  if messages.OPEN[message.state] then
    endings.end_hold(message)
  elseif message.state == 'parked' and parked.is_over(message) then
    parked.log_orphan(message)
    parked.forget({ id })
    return false
  end
  return message
end

-- Whether the open hold has expired.
function endings.is_over(message)
  local period = messages.period(message)
  local late = wallet.now - message.since - wallet.conf.periods_us[period]
  return late > wallet.lags[period]
end

-- The state of an open hold after it has expired.
function endings.state_after(message)
  return message.state == 'sent' and 'expired' or 'cancelled'
end

-- The message as `current` would leave it, without writing anything. Returns false if it does not exist (any more).
function endings.seen(message)
  if not message then return false end
  if message.state == 'parked' then return not parked.is_over(message) and message end
  if messages.OPEN[message.state] and endings.is_over(message) then
    local ends = string.format('%d', messages.ends(message))
    message.state, message.since, message.grants = endings.state_after(message), ends, nil
  end
  return message
end

-- Ends an open hold that has expired, and returns all its money. Returns whether it did.
function endings.end_hold(message)
  if not endings.is_over(message) then return false end
  local was_sent = message.state == 'sent'
  holds.release(message, message.quoted)
  messages.drop_deadline(message)
  messages.become(message, endings.state_after(message))
  messages.log(was_sent and 'expire' or 'cancel', message, message.quoted, '-' .. message.quoted,
    '\t\t0\t\tdeadline')
  return true
end

-- Ends open holds that are due, the earliest first, this many or fewer. Returns how many were due, and how many are now
-- cancelled and expired.
function endings.end_due(most)
  local ids = redis.call('ZRANGEBYSCORE', wallet.tag .. ':deadlines', '-inf', '(' .. wallet.at, 'LIMIT', 0, most)
  local ended = { cancelled = 0, expired = 0 }
  if #ids == 0 then return 0, ended end
  local records = redis.call('HMGET', wallet.tag .. ':messages', unpack(ids))
  for place, id in ipairs(ids) do
    local message = wallet.known[id]
    if message == nil then message = messages.parse(id, records[place]) end
    if not message or not messages.OPEN[message.state] then
      wallet.done[#wallet.done + 1] = id
    elseif endings.end_hold(message) then
      ended[message.state] = ended[message.state] + 1
    else
      messages.set_deadline(message, string.format('%d', endings.later(message)))
    end
    wallet.known[id] = message
  end
  return #ids, ended
end

-- When the hold ends that is not over at its deadline, because a setting was changed to a longer period or the clock is
-- in doubt.
function endings.later(message)
  local period, ends = messages.period(message), messages.ends(message)
  local lag = wallet.lags[period]
  if lag == 0 then return ends end
  return math.min(ends + lag, math.max(ends, wallet.settles[period]))
end
