-- Leases that have reached their deadline.
-- Rarely needed.
local lapsing = {}

lapsing.HEARD_INTERVALS = 3 -- a switch counts as heard for this many of its intervals
lapsing.LAST_SESSION = 2047
lapsing.LIST_MARGIN_US = 10000000 -- before a live list: its switch may not have known of a call that began so late

-- The limits of a session's band, for ZRANGEBYSCORE and ZCOUNT.
function lapsing.band(session)
  return string.format('%d', session * leases.BAND), '(' .. string.format('%d', (session + 1) * leases.BAND)
end

function lapsing.count(session)
  return redis.call('ZCOUNT', pool.tag .. ':timers', lapsing.band(session))
end

-- All sessions that may have running calls: the one for calls without a switch, and the current one of each switch.
function lapsing.sessions()
  local sessions = { leases.NO_SWITCH }
  for _, session in pairs(lives.sessions()) do sessions[#sessions + 1] = session end
  table.sort(sessions)
  return sessions
end

-- Ends the number's rest or call if it is due.
function lapsing.end_if_due(number)
  local session, deadline_ms = leases.of(number)
  if not session then return end
  if lives.is_releasing(session) then
    lives.cut_off(number)
  elseif deadline_ms * 1000 <= clock.calls_due() then
    lapsing.lapse(number, session, deadline_ms)
  end
end

-- Handles leases that have reached their deadline, this many or fewer. Returns how many were renewed, suspected and
-- released.
function lapsing.end_due(most)
  local due_ms = math.floor(clock.calls_due() / 1000)
  local done, ended = 0, { renewed = 0, suspected = 0, released = 0 }
  for _, session in ipairs(lapsing.sessions()) do
    if done >= most then break end
    local from = lapsing.band(session)
    local over = redis.call('ZRANGEBYSCORE', pool.tag .. ':timers', from,
      string.format('%d', session * leases.BAND + due_ms), 'WITHSCORES', 'LIMIT', 0, most - done)
    for place = 1, #over, 2 do
      local how = lapsing.lapse(over[place], session, over[place + 1] % leases.BAND)
      ended[how] = ended[how] + 1
      done = done + 1
    end
  end
  return ended.renewed, ended.suspected, ended.released
end

-- Handles a lease at its deadline. It is renewed, suspected or released, depending on whether the call's switch was
-- heard.
function lapsing.lapse(number, session, deadline_ms)
  local state = states.read(number)
  if not state or not state.is_busy then
    if not old_calls.finish(number, nil, 'released', 'lease ended') then leases.remove(number) end
    return 'released'
  end
  local _, _, _, name = calls.fields(state)
  local switch = switches.read(texts.plain(name or ''))
  local is_alive = switch and lives.is_alive(switch)
  local list = switch and lists.read(switch.name)
  local is_unpaid, is_suspect = calls.has(state, calls.UNPAID), calls.has(state, calls.SUSPECT)
  if is_alive and not is_unpaid and list and deadline_ms == list.mark_ms + pool.conf.lease_ms then
    leases.begin(number, session)
    return 'renewed'
  end
  -- The switch sends lists, but has sent none since that could show that the call is over.
  local is_unlisted = list and (list.is_open or list.as_of - lapsing.LIST_MARGIN_US < state.since + 0)
  local is_unheard = switch and (not is_alive or is_unlisted)
  if is_unheard and not is_unpaid and not is_suspect then
    lapsing.suspect(state, session, is_alive and 'no live list' or 'switch silent')
    return 'suspected'
  end
  local reason = is_unpaid and 'unpaid' or (is_alive and not is_suspect) and 'lost hangup' or 'lease ended'
  calls.release(state, 'released', reason, pool.conf.cooldown_ms)
  return 'released'
end

-- Gives the call a second period before it is released.
function lapsing.suspect(state, session, reason)
  leases.set(state.number, session, math.floor(pool.now / 1000) + pool.conf.suspect_ms)
  local before = states.code(state)
  calls.mark(state, calls.SUSPECT)
  states.write(state)
  local _, _, id, switch = calls.fields(state)
  pool.log('suspect', state.number, before, before .. 's', reason, '', state.since, '', ',"call":"' .. id
    .. '","switch":"' .. switch .. '"')
end

-- The time at which the next call may end. It counts the calls that are running, and one that begins now with the
-- shortest period.
function lapsing.next_us()
  local next_us = pool.now + math.min(pool.conf.lease_ms, pool.conf.suspect_ms) * 1000
  for _, session in ipairs(lapsing.sessions()) do
    local from, to = lapsing.band(session)
    local first = redis.call('ZRANGEBYSCORE', pool.tag .. ':timers', from, to, 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if first then next_us = math.min(next_us, clock.call_ends(first % leases.BAND * 1000)) end
  end
  return next_us
end
