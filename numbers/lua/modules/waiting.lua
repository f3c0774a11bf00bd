-- Calls that wait for a number, in the order in which they came. In {pool}:timers, w<call ID> is a waiting call by
-- ticket, and o<number> a number that is offered to one, until the offer lapses (timers.lua).
-- Rarely needed.
local waiting = {}

waiting.OFFERS = 4398046511104 -- the bands of {pool}:timers, each 2^42 wide
waiting.WAITERS = 8796093022208
waiting.END = 13194139533312
waiting.OFFER_MS = 1000
waiting.GRACE_MS = 1000 -- a call may ask again this long after its waiting time
waiting.LAPSE_AT_ONCE = 16
waiting.SERVE_AT_ONCE = 32
waiting.RETRY_LEAST_MS = 10
waiting.RETRY_MOST_MS = 1000

function waiting.timers()
  return pool.tag .. ':timers'
end

-- Counts the waiting calls and the offered numbers.
function waiting.count_all()
  return redis.call('ZCOUNT', waiting.timers(), waiting.OFFERS, '(' .. string.format('%d', waiting.END))
end

function waiting.count()
  return redis.call('ZCOUNT', waiting.timers(), waiting.WAITERS, '(' .. string.format('%d', waiting.END))
end

-- Adds the event's call to the waiting ones. Returns false if too many are waiting. counted: it has been counted as
-- blocked.
function waiting.join(counted)
  if waiting.count() >= pool.conf.waiters then return false end
  local ticket = redis.call('HINCRBY', pool.tag, 'ticket', 1)
  local ends = pool.now + (event.wait_ms + waiting.GRACE_MS) * 1000
  waiting.stand(event.call_id, ticket)
  ids.keep_turn(event.call_id, {
    ends = string.format('%d', ends),
    ticket = string.format('%014d', ticket),
    counted = counted,
  })
  pool.mark_special()
  return true
end

function waiting.stand(id, ticket)
  redis.call('ZADD', waiting.timers(), string.format('%d', waiting.WAITERS + ticket), 'w' .. id)
end

function waiting.stop(id)
  redis.call('ZREM', waiting.timers(), 'w' .. id)
end

-- The reply to a waiting call: its place, and when to ask again.
function waiting.prospect()
  local score = redis.call('ZSCORE', waiting.timers(), 'w' .. event.call_id) or string.format('%d', waiting.WAITERS)
  local ahead = redis.call('ZCOUNT', waiting.timers(), waiting.WAITERS, '(' .. score)
  local first_at = idle.first_at()
  local soon_ms = first_at and math.ceil((first_at - pool.now) / 1000) or waiting.RETRY_MOST_MS
  local retry_ms = math.max(waiting.RETRY_LEAST_MS, math.min(waiting.RETRY_MOST_MS, soon_ms))
  return { '0', '', '', 'waiting', 'place', string.format('%d', ahead + 1), 'retry_ms',
    string.format('%d', retry_ms) }
end

-- Counts an attempt that found no number, remembers it for the call ID and writes it to the history. The texts are
-- those of the event, or '' for a call that was waiting.
function waiting.count_blocked(id, reason, switch, agent, callee)
  pool.count('blocked', 1)
  if id ~= '' then ids.block(id) end
  pool.log_of_all('blocked', reason, ',"call":"' .. texts.json(id) .. '","switch":"' .. texts.json(switch)
    .. '","agent":"' .. texts.json(agent) .. '","callee":"' .. texts.json(callee) .. '"')
end

-- Ends the turn of a call that got no number.
function waiting.give_up(id, turn, reason)
  if turn.counted then ids.block(id) else waiting.count_blocked(id, reason, '', '', '') end
end

-- Offers ready numbers to the waiting calls. Lapsed offers are passed on.
function waiting.serve()
  if pool.conf.looks_us <= pool.now then upkeep.keep_up() end
  waiting.lapse_offers()
  for _ = 1, waiting.SERVE_AT_ONCE do
    local first = redis.call('ZRANGEBYSCORE', waiting.timers(), waiting.WAITERS,
      '(' .. string.format('%d', waiting.END), 'LIMIT', 0, 1)[1]
    if not first or not waiting.serve_one(string.match(first, '^w(.*)$')) then break end
  end
  pool.mark_special()
end

-- Returns whether to continue with the next waiting call. false: no number is ready.
function waiting.serve_one(id)
  local turn = ids.turn(id)
  if not turn or turn.number ~= '' or turn.ends + 0 < pool.now then
    waiting.stop(id)
    if turn and turn.number == '' then waiting.give_up(id, turn, 'exhausted') end
    return true
  end
  local number = pool.conf.status == 'open' and (idle.first() or upkeep.catch_up() and idle.first())
  if not number then return false end
  local state = states.read(number)
  idle.take_out(number)
  if state and states.can_be_picked(state) then waiting.offer(state, id, turn) end
  return true
end

function waiting.offer(state, id, turn)
  state.held, state.why = states.OFFERED, texts.json(id)
  states.write(state)
  pool.count('aside', 1)
  waiting.stop(id)
  local ends = waiting.OFFERS + math.floor(pool.now / 1000) + waiting.OFFER_MS
  redis.call('ZADD', waiting.timers(), string.format('%d', ends), 'o' .. state.number)
  ids.keep_turn(id, turn, state.number)
  redis.pcall('PUBLISH', pool.tag .. ':offers', id)
end

-- Ends offers that have lapsed. Their numbers can be picked again, and their calls lose their turns.
function waiting.lapse_offers()
  local now_ms = string.format('%d', waiting.OFFERS + math.floor(pool.now / 1000))
  local over = redis.call('ZRANGEBYSCORE', waiting.timers(), waiting.OFFERS, now_ms, 'LIMIT', 0, waiting.LAPSE_AT_ONCE)
  for _, member in ipairs(over) do
    redis.call('ZREM', waiting.timers(), member)
    local state = states.read(string.match(member, '^o(.*)$'))
    if state then
      local id = texts.plain(state.why)
      waiting.free(state)
      local turn = ids.turn(id)
      if turn and turn.number ~= '' then waiting.give_up(id, turn, 'waiter gone') end
    end
  end
end

-- Ends the number's offer. It can be picked now.
function waiting.free(state)
  pool.count('aside', -1)
  state.held, state.why = '', ''
  states.write(state)
  idle.enter(state)
end

-- Withdraws an offer. The caller writes the state. gives_back: the call waits again, at its earlier place.
function waiting.withdraw(state, gives_back)
  local id = texts.plain(state.why)
  redis.call('ZREM', waiting.timers(), 'o' .. state.number)
  pool.count('aside', -1)
  state.held, state.why = '', ''
  local turn = gives_back and ids.turn(id)
  if turn and turn.number ~= '' then
    ids.keep_turn(id, turn)
    waiting.stand(id, turn.ticket)
  end
  pool.mark_special()
end

-- The event's call asks again. Returns its turn while it is waiting, or nil when it is over, and the number that is
-- offered to it.
function waiting.ask_again(turn)
  local id = event.call_id
  if turn.number == '' then
    waiting.serve()
    turn = ids.turn(id)
  end
  if not turn then return nil, nil end
  if turn.number ~= '' then return turn, turn.number end
  if event.wait_ms > 0 and turn.ends - pool.now > waiting.GRACE_MS * 1000 then return turn, nil end
  waiting.stop(id)
  waiting.give_up(id, turn, 'exhausted')
  pool.mark_special()
  return nil, nil
end

-- A waiting call hangs up.
function waiting.leave(id, turn)
  if turn.number ~= '' then
    local state = states.read(turn.number)
    if state then
      waiting.withdraw(state, false)
      states.write(state)
      idle.enter(state)
    end
  end
  waiting.stop(id)
  if not turn.counted then waiting.count_blocked(id, 'gave up', '', '', '') end
  ids.finish(id, '')
  waiting.serve()
end
