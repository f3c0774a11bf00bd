-- What time brings: the next day, ends of leases and registrations, forgetting. The timers do it when it is due; with
-- none running, `keep_up` and `catch_up` do a piece when somebody asks.
local DAY, NEXT_CALL, PIECE = 104, 120, 32 -- columns of conf, and how many of a kind a request ends

-- Ends up to this time have come; besides, the lag of the clock and when it is settled, µs (see doubt). What an early
-- end would let two have waits for the lag of calls: leases, and a recovering pool's opening; so do registrations for theirs.
function slow.due(from)
  from = from or CALLS_LAG
  local lag, settles = tonumber(sub(conf, from, from + 15)) or 0, tonumber(sub(conf, from + 16, from + 31)) or 0
  if now >= settles then lag = 0 end
  return now - lag, lag, settles
end

-- When what ends at `first` is due.
function slow.due_from(first, from)
  first = first + 0
  local _, lag, settles = slow.due(from)
  return lag == 0 and first or math.min(first + lag, math.max(first, settles))
end

-- What no event may overlook: the day of the caps, and registrations that have ended, 500 at once.
function slow.keep_up()
  slow.roll_day()
  slow.expire(500)
end

-- Before a request is refused for want of a number: a piece of what is due. Returns whether anything was.
function slow.catch_up()
  local done = slow.roll_day() and 1 or 0
  slow.put_back(PIECE)
  done = done + slow.shorten(PIECE)
  local next_call = sub(conf, NEXT_CALL, NEXT_CALL + 15)
  if next_call <= at then
    local released, more = slow.release(PIECE)
    local renewed, suspected, lapsed = slow.leases(PIECE)
    done = done + released + lapsed
    local full = more or renewed + suspected + lapsed >= PIECE
    column(NEXT_CALL, fmt('%016d', full and 0 or slow.next_call()))
  end
  return done > 0
end

-- A number that is asked for, or its call: what is due of it.
function slow.overdue(number)
  local score = call('ZSCORE', TIMERS, number)
  if not score then return end
  local session = math.floor(score / BAND)
  if find(' ' .. (call('HGET', POOL, 'releasing') or '') .. ' ', ' ' .. us(session) .. ' ', 1, true) then
    slow.cut_off(number)
  elseif score % BAND * 1000 <= slow.due() then
    slow.lapse(number, session, score % BAND)
  end
end

-- A recovering pool opens when the longest lease has passed; returns whether it did.
function slow.open_in_time()
  if sub(conf, 1, 1) ~= 'r' then return false end
  slow.put_back(PIECE)
  local fields = call('HMGET', POOL, 'open_at', 'loaded')
  if not fields[1] or fields[2] ~= '1' or fields[1] + 0 > slow.due() then return false end
  slow.open('longest lease passed')
  return true
end

-- The day of the caps: the next midnight that is still to come, from the list that Python wrote; when
-- that has run out, a day later each day. An end more than 25 hours ahead is of a clock that was ahead.
function slow.roll_day()
  local seconds, day_end = math.floor(now / 1000000), sub(conf, 84, 93) + 0
  if seconds < day_end and day_end - seconds <= 90000 then return false end
  local listed = call('HGET', POOL, 'days') or ''
  local next_end
  for day in string.gmatch(listed, '%d+') do
    if day + 0 > seconds then
      if day - seconds <= 90000 then next_end = day + 0 end
      break
    end
    day_end = math.max(day_end, day + 0)
  end
  if not next_end then next_end = day_end + 86400 * math.floor((seconds - day_end) / 86400 + 1) end
  column(84, fmt('%010d', next_end))
  return true
end

-- Rests that began while the clock was ahead: one lasts no longer from now than the settings say, or
-- to the end of a capped number's day. At most `batch`; returns how many were shortened.
function slow.shorten(batch)
  local cooldown, restart_rest = sub(conf, 36, 45) + 0, sub(conf, 46, 55) + 0
  local latest, day_end = now + math.max(cooldown, restart_rest) * 1000, sub(conf, 84, 93) * 1000000
  local ready, late = us(now + cooldown * 1000), nil
  if sub(conf, 56, 61) ~= '000000' and day_end > latest then
    late = call('ZRANGEBYSCORE', IDLE, '(' .. us(latest), '(' .. us(day_end), 'LIMIT', 0, batch)
    latest = day_end
  end
  if not late or #late == 0 then late = call('ZRANGEBYSCORE', IDLE, '(' .. us(latest), '+inf', 'LIMIT', 0, batch) end
  for _, number in ipairs(late) do
    local b, u, since, props = slow.read(number)
    if b == '0' and u == '1' and holding(props) == '' then
      write(number, b, u, ready, props)
      enter(number, ready, props)
      log('rested', number, 'iur', cooldown > 0 and 'iur' or 'iu', 'clock put back', '', '', ready)
    else
      take_out(number) -- its state contradicts it: reconcile would do the same
    end
  end
  return #late
end

-- What a clock that was ahead planned: leases, suspicions, offers, waiters and a recovering pool's opening end no later
-- than if they began now, leases of a longer setting no later than that let them (configure). Looks at about `count` of
-- TIMERS, round it by a cursor, once after each step back; returns whether any are left.
function slow.put_back(count)
  local mark = sub(conf, 200, 200)
  if mark ~= '1' and mark ~= '2' then return false end
  local now_ms, lease_ms, suspect_ms = math.floor(now / 1000), sub(conf, 6, 15) + 0, sub(conf, 16, 25) + 0
  local fields = call('HMGET', POOL, 'put_back', 'longer_until', 'open_at')
  local longer, open_us = tonumber(fields[2]) or 0, tonumber(fields[3]) or 0
  local latest = math.max(now_ms + lease_ms, longer)
  if open_us > latest * 1000 then call('HSET', POOL, 'open_at', us(latest * 1000)) end
  local page = call('ZSCAN', TIMERS, mark == '2' and fields[1] or '0', 'COUNT', count)
  for i = 1, #page[2], 2 do
    local member, score = page[2][i], page[2][i + 1]
    local kind, name = sub(member, 1, 1), sub(member, 2)
    if kind == 'w' then
      local record, until_us = call('HGET', POOL, 'c:' .. name) or '', us(now + 61000000) -- the longest wait_ms, and 1 s
      if sub(record, 1, 1) == 'W' and sub(record, 2, 17) > until_us then
        call('HSET', POOL, 'c:' .. name, 'W' .. until_us .. sub(record, 18))
      end
    else
      local ends = kind == 'o' and now_ms + 1000 or latest
      local st = kind ~= 'o' and (call('HGET', POOL, 't:' .. member) or call('HGET', NUMSTATE, member))
      if st and find(st, ',"suspect":1', 1, true) then ends = math.max(now_ms + suspect_ms, longer) end
      if score % BAND > ends then call('ZADD', TIMERS, us(math.floor(score / BAND) * BAND + ends), member) end
    end
  end
  local more = page[1] ~= '0'
  if more then call('HSET', POOL, 'put_back', page[1]) end
  column(200, more and '2' or '0')
  return more
end

-- The bands of TIMERS in which leases stand: calls without a switch, then one for each switch.
local function lease_bands()
  local sessions = { NO_SWITCH }
  for _, session in pairs(cjson.decode(call('HGET', POOL, 'switches') or '{}')) do sessions[#sessions + 1] = session end
  table.sort(sessions)
  return sessions
end

-- When a call may come to its end, by those there are and by the shortest term of one that may begin meanwhile.
function slow.next_call()
  local next_us = now + math.min(sub(conf, 6, 15) + 0, sub(conf, 16, 25) + 0) * 1000
  for _, session in ipairs(lease_bands()) do
    local first = call('ZRANGEBYSCORE', TIMERS, us(session * BAND), '(' .. us((session + 1) * BAND), 'WITHSCORES',
      'LIMIT', 0, 1)[2]
    if first then next_us = math.min(next_us, slow.due_from(first % BAND * 1000)) end
  end
  return next_us
end

-- The earliest time at which something is due. Registrations begin with 1 s at least. Who waits for a number is looked
-- after all the while.
function slow.next_time()
  local next_us = slow.next_call()
  if sub(conf, 4, 4) == '1' then next_us = math.min(next_us, now + 200000) end
  if call('EXISTS', REGS) == 1 then
    next_us = math.min(next_us, now + 1000000, slow.due_from(call('ZRANGE', REGS, 0, 0, 'WITHSCORES')[2], CONTACTS_LAG))
  end
  local fields = call('HMGET', POOL, 'open_at', 'loaded')
  if sub(conf, 1, 1) == 'r' and fields[1] and fields[2] == '1' then
    next_us = math.min(next_us, slow.due_from(fields[1]))
  end
  return math.min(next_us, sub(conf, 84, 93) * 1000000)
end

-- The number's lease is at its deadline (ms): renewed, suspected or released, as its switch is heard.
function slow.lapse(number, session, deadline)
  local b, u, since, props = slow.read(number)
  if b ~= '1' then
    if not slow.bury(number, nil, 'released', 'lease ended') then call('ZREM', TIMERS, number) end
    return 'released'
  end
  local now_ms, lease_ms, suspect_ms = math.floor(now / 1000), sub(conf, 6, 15) + 0, sub(conf, 16, 25) + 0
  local _, _, _, id, switch = slow.call_in(props)
  local who = switch ~= '' and call('HGET', POOL, 'w:' .. switch)
  local alive = who and math.abs(now_ms - sub(who, 5, 14) * 1000) <= 3 * sub(conf, 26, 35)
  local list = who and call('HGET', POOL, 'l:' .. switch)
  local unpaid = find(props, ',"unpaid":1', 1, true)
  -- Who sends lists, but none since that could know of the call, has not said that it is over.
  local unlisted = list and (sub(list, 30, 30) ~= 'c' or sub(list, 14, 29) - slow.LIST_MARGIN < since + 0)
  local unheard = who and (not alive or unlisted)
  local suspect = find(props, ',"suspect":1', 1, true)
  if alive and not unpaid and list and deadline == sub(list, 1, 13) + lease_ms then
    call('ZADD', TIMERS, us(session * BAND + now_ms + lease_ms), number)
    return 'renewed'
  elseif unheard and not unpaid and not suspect then
    call('ZADD', TIMERS, us(session * BAND + now_ms + suspect_ms), number)
    slow.write(number, b, u, since, props .. ',"suspect":1')
    local code = 'b' .. (u == '1' and 'u' or 'd') .. holding(props)
    log('suspect', number, code, code .. 's', alive and 'no live list' or 'switch silent', '', since, '', ',"call":"'
      .. json(id) .. '","switch":"' .. json(switch) .. '"')
    return 'suspected'
  end
  local why = unpaid and 'unpaid' or (alive and not suspect) and 'lost hangup' or 'lease ended'
  slow.end_call(number, u, since, props, 'released', why, sub(conf, 36, 45) + 0)
  return 'released'
end

-- Leases at their deadline, at most `batch`; returns renewed, suspected, released.
function slow.leases(batch)
  local due_ms, done, ended = math.floor(slow.due() / 1000), 0, { renewed = 0, suspected = 0, released = 0 }
  for _, session in ipairs(lease_bands()) do
    local over = call('ZRANGEBYSCORE', TIMERS, us(session * BAND), us(session * BAND + due_ms), 'WITHSCORES', 'LIMIT', 0,
      batch - done)
    for i = 1, #over, 2 do
      local how = slow.lapse(over[i], session, over[i + 1] % BAND)
      ended[how] = ended[how] + 1
    end
    done = done + #over / 2
    if done >= batch then break end
  end
  return ended.renewed, ended.suspected, ended.released
end

-- Contacts that have expired, at most `batch` numbers; returns how many numbers went down.
function slow.expire(batch)
  local down = 0
  local due = call('ZRANGEBYSCORE', REGS, '-inf', us(slow.due(CONTACTS_LAG)), 'LIMIT', 0, batch)
  for _, number in ipairs(due) do
    local b, u, since, props = slow.read(number)
    local alive = false
    if b then alive = slow.keep_contacts(number, u, slow.contacts(call('HGET', POOL, 'r:' .. number)))
    else
      call('HDEL', POOL, 'r:' .. number)
      call('ZREM', REGS, number)
    end
    if b and u == '1' and not alive then
      local held = holding(props)
      if held == 'o' then
        props, held = slow.unoffer(number, since, props, true), ''
      elseif b == '0' and held == '' then take_out(number) end
      slow.write(number, b, '0', since, props)
      if b == '0' and held ~= '' then call('HINCRBY', POOL, 'aside', -1) end
      if b == '1' then call('HINCRBY', POOL, 'busy_down', 1) end
      local busy = b == '1' and 'b' or 'i'
      log('unreg', number, busy .. 'u' .. held, busy .. 'd' .. held, 'expired', '', since, at)
      down = down + 1
    end
  end
  local first = call('ZRANGE', REGS, 0, 0, 'WITHSCORES')[2] or MAX_TIME
  column(DAY, fmt('%016d', math.min(slow.due_from(first, CONTACTS_LAG), sub(conf, 84, 93) * 1000000)))
  return down, #due >= batch
end

-- Forgets what has had its time: ended and blocked call ids, callees, aliases of deleted numbers. Goes round the index
-- by a cursor, so that nothing on the hot path has to keep an order of expiry.
function slow.forget(count)
  local page = call('HSCAN', POOL, call('HGET', POOL, 'forgetting') or '0', 'COUNT', count)
  local fields, gone, old = page[2], {}, slow.due(CONTACTS_LAG) - KEPT
  for i = 1, #fields, 2 do
    local kind, value = sub(fields[i], 1, 2), fields[i + 1]
    local first = sub(value, 1, 1)
    if (kind == 'c:' and (first == 'E' or first == 'B') and sub(value, 2, 17) + 0 <= old)
      or (kind == 's:' and sub(value, 1, 16) + 0 <= now)
      or (kind == 'x:' and sub(value, 1, 16) + 0 <= old)
      or (kind == 'a:' and call('HEXISTS', NUMSTATE, value) == 0 and call('HEXISTS', POOL, 't:' .. value) == 0) then
      gone[#gone + 1] = fields[i]
    end
  end
  for i = 1, #gone, 1000 do call('HDEL', POOL, unpack(gone, i, math.min(i + 999, #gone))) end
  call('HSET', POOL, 'forgetting', page[1])
  return #gone, page[1] ~= '0'
end

-- Drops from NEAR who cannot be picked, `count` looked at, round it by a cursor. Going down and being
-- deleted leave a number there: taking it out at once costs more than all the rest of an unreg. Who
-- can be picked always stands there by its own time.
function slow.sweep_near(count)
  local page = call('ZSCAN', NEAR, call('HGET', POOL, 'near_cursor') or '0', 'COUNT', count)
  local gone = {}
  for i = 1, #page[2], 2 do
    local number = page[2][i]
    local b, u, since, props = slow.read(number)
    if b ~= '0' or u ~= '1' or holding(props) ~= '' then gone[#gone + 1] = number end
  end
  for i = 1, #gone, 1000 do call('ZREM', NEAR, unpack(gone, i, math.min(i + 999, #gone))) end
  call('HSET', POOL, 'near_cursor', page[1])
end
