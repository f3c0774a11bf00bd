-- Waiters stand in TIMERS by ticket; a number offered to one stands there until the offer lapses.
-- c:<id>: W<until 16><ticket 14><counted 0|1>, or O<until 16><ticket 14><counted><number>.

function slow.place(id)
  local rank = call('ZCOUNT', TIMERS, WAITERS, '(' .. (call('ZSCORE', TIMERS, 'w' .. id) or us(WAITERS)))
  local first = call('ZRANGE', IDLE, 0, 0, 'WITHSCORES')[2]
  local soon = first and math.ceil((first - now) / 1000) or 1000
  return { 'place', us(rank + 1), 'retry_ms', us(math.max(10, math.min(1000, soon))) }
end

local function stop_waiting(id)
  call('ZREM', TIMERS, 'w' .. id)
end

-- Lets a call wait; false when too many do.
function slow.wait(id, wait_ms, counted)
  local limit = sub(conf, 78, 83) + 0
  if call('ZCOUNT', TIMERS, WAITERS, '(' .. us(3 * BAND)) >= limit then return false end
  local ticket = call('HINCRBY', POOL, 'ticket', 1)
  call('ZADD', TIMERS, WAITERS + ticket, 'w' .. id)
  call('HSET', POOL, 'c:' .. id, 'W' .. us(now + (wait_ms + 1000) * 1000) .. string.format('%014.0f', ticket)
    .. (counted and '1' or '0'))
  flag()
  return true
end

local function block_waiter(id, record, why)
  if sub(record, 32, 32) == '1' then call('HSET', POOL, 'c:' .. id, 'B' .. at)
  else slow.blocked(id, '', '', '', why) end
end

-- Takes an offer back: the number's properties without it. The waiter stands where it stood.
function slow.unoffer(number, since, props, gives_back)
  local _, why, rest = holding(props)
  call('ZREM', TIMERS, 'o' .. number)
  call('HINCRBY', POOL, 'aside', -1)
  if gives_back then
    local id = plain(why)
    local record = call('HGET', POOL, 'c:' .. id)
    if record and sub(record, 1, 1) == 'O' then
      call('HSET', POOL, 'c:' .. id, 'W' .. sub(record, 2, 32))
      call('ZADD', TIMERS, WAITERS + sub(record, 18, 31), 'w' .. id)
    end
  end
  flag()
  return rest
end

-- The number that has rested longest, or nil.
local function ready()
  return call('ZRANGEBYSCORE', IDLE, '-inf', at, 'LIMIT', 0, 1)[1]
end

-- Hands ready numbers to those who wait, first come first served; passes dead waiters' offers on.
function slow.serve()
  if sub(conf, 104, 119) <= at then slow.keep_up() end
  local due = call('ZRANGEBYSCORE', TIMERS, OFFERS, OFFERS + math.floor(now / 1000), 'LIMIT', 0, 16)
  for _, member in ipairs(due) do
    local number = sub(member, 2)
    local b, u, since, props = slow.read(number)
    local id = plain(select(2, holding(props or '')))
    local record = call('HGET', POOL, 'c:' .. id)
    call('ZREM', TIMERS, member)
    if b then
      props = select(3, holding(props))
      call('HINCRBY', POOL, 'aside', -1)
      write(number, b, u, since, props)
      enter(number, since, props)
    end
    if record and sub(record, 1, 1) == 'O' then block_waiter(id, record, 'waiter gone') end
  end
  local opened = sub(conf, 1, 1) == 'o'
  for _ = 1, 32 do
    local member = call('ZRANGEBYSCORE', TIMERS, WAITERS, '(' .. us(3 * BAND), 'LIMIT', 0, 1)[1]
    if not member then break end
    local id = sub(member, 2)
    local record = call('HGET', POOL, 'c:' .. id) or ''
    if sub(record, 1, 1) ~= 'W' or sub(record, 2, 17) + 0 < now then
      stop_waiting(id)
      if sub(record, 1, 1) == 'W' then block_waiter(id, record, 'exhausted') end
    else
      local number = opened and (ready() or slow.catch_up() and ready())
      if not number then break end
      local b, u, since, props = slow.read(number)
      take_out(number)
      if b == '0' and u == '1' and sub(props, 1, 8) ~= ',"held":' then
        write(number, b, u, since, hold('o', json(id), props))
        call('HINCRBY', POOL, 'aside', 1)
        stop_waiting(id)
        call('ZADD', TIMERS, OFFERS + math.floor(now / 1000) + 1000, 'o' .. number)
        call('HSET', POOL, 'c:' .. id, 'O' .. sub(record, 2, 32) .. number)
        redis.pcall('PUBLISH', POOL .. ':offers', id)
      end
    end
  end
  flag()
end

-- A waiter asks again: its number and whether it was counted as blocked before; '' and whether
-- its waiting is over.
function slow.turn(id, record, wait_ms)
  if sub(record, 1, 1) == 'W' then
    slow.serve()
    record = call('HGET', POOL, 'c:' .. id) or ''
  end
  local kind = sub(record, 1, 1)
  if kind == 'O' then return sub(record, 33), sub(record, 32, 32) == '1' end
  if kind == 'W' then
    if wait_ms > 0 and sub(record, 2, 17) + 0 > now + 1000000 then return '', false end
    stop_waiting(id)
    block_waiter(id, record, 'exhausted')
    flag()
  end
  return '', true
end

-- A waiter hangs up.
function slow.leave(id, record)
  if sub(record, 1, 1) == 'O' then
    local number = sub(record, 33)
    local b, u, since, props = slow.read(number)
    if b then
      props = slow.unoffer(number, since, props, false)
      write(number, b, u, since, props)
      enter(number, since, props)
    end
  end
  stop_waiting(id)
  if sub(record, 32, 32) == '0' then slow.blocked(id, '', '', '', 'gave up') end
  call('HSET', POOL, 'c:' .. id, 'E' .. at)
  slow.serve()
end
