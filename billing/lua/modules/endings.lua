-- What time ends. Time decides, not the sweep: a call that meets a hold or a parked report whose time is over ends it
-- first, so that it does not matter whether a sweep has run. Exactly at the deadline still counts.
local endings = {}

-- The message as it is now; false = there is none, or none any more. It was read before.
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

-- Whether the time of an open hold is over.
function endings.is_over(message)
  local period = messages.period(message)
  local late = wallet.now - message.since - wallet.conf.periods_us[period]
  return late > wallet.lags[period]
end

-- What becomes of an open hold whose time is over.
function endings.state_after(message)
  return message.state == 'sent' and 'expired' or 'cancelled'
end

-- The message as `current` would leave it, for those who only look: nothing is written. false = there is none any more.
function endings.seen(message)
  if not message then return false end
  if message.state == 'parked' then return not parked.is_over(message) and message end
  if messages.OPEN[message.state] and endings.is_over(message) then
    local ends = string.format('%d', messages.ends(message))
    message.state, message.since, message.grants = endings.state_after(message), ends, nil
  end
  return message
end

-- Ends an open hold whose time is over: all comes back. Returns whether it did.
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

-- Ends open holds that are due, the first due first, so many at most. Returns how many were due, and how many of them
-- are cancelled and expired now.
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

-- A hold that is due later than its deadline said: the settings were made longer meanwhile, or the clock is in doubt.
function endings.later(message)
  local period, ends = messages.period(message), messages.ends(message)
  local lag = wallet.lags[period]
  if lag == 0 then return ends end
  return math.min(ends + lag, math.max(ends, wallet.settles[period]))
end
