-- Tickets: a visitor's place in its class is the time of its arrival in µs. Each is unique, so that the time alone
-- proves a place.
local tickets = {}

tickets.AHEAD_US = 1000000 -- beyond this, the ticket's clock was ahead, or this one is behind
tickets.FRONT = 1100000000000000 -- sixteen digits, long before any arrival

-- The next ticket, and the arrival from which the wait counts, both as text.
function tickets.next()
  local ticket = math.max(desk.now, desk.ticket + 1)
  desk.ticket = int(ticket)
  if ticket - desk.now > tickets.AHEAD_US and tickets.is_clock_believed() then return desk.ticket, desk.at end
  return desk.ticket, desk.ticket
end

-- Whether sweeps run by this clock.
function tickets.is_clock_believed()
  local walked, steady = unpack(redis.call('HMGET', desk.tag, 'walked', 'steady'))
  return math.abs(desk.now_ms - (walked or 0)) < silence.BELIEVED_MS
    and (steady or 0) + silence.BELIEVED_MS <= desk.now_ms
end

-- A ticket before all others.
function tickets.front()
  return int(tickets.FRONT + redis.call('HINCRBY', desk.tag, 'front', -1))
end
