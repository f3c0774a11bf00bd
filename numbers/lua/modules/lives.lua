-- The sessions of switches: each begins when a switch is new or has a new incarnation. In the index, W:<switch> has the
-- earlier incarnations, newest first, separated by tabs. In the pool's hash, `switches` has the session of each switch
-- as JSON, `releasing` the sessions whose calls are being released, and `media` the media servers, whose calls end when
-- they restart, separated by tabs. All other switches are proxies, whose calls survive a restart.
-- Rarely needed.
local lives = {}

lives.MOST = 256
lives.MOST_SUPERSEDED = 16

-- Handles a switch that is new or has a new incarnation.
function lives.meet(name, incarnation, switch)
  if not switch then return lives.begin(name, incarnation, nil) end
  if switch.incarnation == '' then -- it had no incarnation yet
    switch.incarnation = incarnation
    switches.write(switch)
    return switch.session, false
  end
  if not lives.supersede(switch, incarnation) then return nil, 'stale incarnation' end
  if lives.is_media(name) then return lives.begin(name, incarnation, switch.session) end
  switch.incarnation = incarnation
  switches.write(switch) -- the calls of a proxy stay in its band
  lives.log('restart', name, incarnation, 'calls kept')
  return switch.session, false
end

-- Records that the switch's session has ended. Returns false if the event itself comes from an earlier incarnation.
function lives.supersede(switch, incarnation)
  local before = index.get('W:' .. switch.name) or ''
  if string.find('\t' .. before .. '\t', '\t' .. incarnation .. '\t', 1, true) then return false end
  local superseded = { switch.incarnation }
  for one in string.gmatch(before, '[^\t]+') do
    if #superseded < lives.MOST_SUPERSEDED then superseded[#superseded + 1] = one end
  end
  index.set('W:' .. switch.name, table.concat(superseded, '\t'))
  lists.expect(switch.name)
  return true
end

function lives.is_media(name)
  local media = pool.field('media') or ''
  return string.find('\t' .. media .. '\t', '\t' .. name .. '\t', 1, true) ~= nil
end

-- Begins a session. `before`: the earlier session, whose calls are released, or nil if there is none.
function lives.begin(name, incarnation, before)
  local sessions, releasing = lives.sessions(), pool.field('releasing') or ''
  if not before and not lives.make_room(sessions) then return nil, 'too many switches' end
  local session = lives.free_session(sessions, releasing)
  local must_release = before ~= nil and lapsing.count(before) > 0
  if must_release then
    releasing = releasing .. ' ' .. before
    pool.set_column('next_call', columns.time(0)) -- its calls are due now
  end
  sessions[name] = session
  redis.call('HSET', pool.tag, 'switches', cjson.encode(sessions), 'releasing', releasing, 'session', session)
  local switch = { name = name, session = string.format('%d', session), incarnation = incarnation }
  switches.write(switch)
  pool.mark_special()
  lives.log(before and 'restart' or 'switch', name, incarnation, '')
  if before then recovery.report(name) end
  return switch.session, must_release
end

-- The sessions of all switches, by name.
function lives.sessions()
  return cjson.decode(pool.field('switches') or '{}')
end

-- If there are too many switches, forgets the one without calls that was heard longest ago. Returns false if all have
-- calls.
function lives.make_room(sessions)
  local count, silent, silent_since = 0, nil, nil
  for _ in pairs(sessions) do count = count + 1 end
  if count < lives.MOST then return true end
  for name, session in pairs(sessions) do
    local switch = switches.read(name)
    local since = switch and switch.heard or 0
    if (not silent or since < silent_since) and lapsing.count(session) == 0 then silent, silent_since = name, since end
  end
  if not silent then return false end
  sessions[silent] = nil
  for _, kind in ipairs({ 'w:', 'W:', 'l:' }) do index.remove(kind .. silent) end
  return true
end

-- The next session number that is not in use.
function lives.free_session(sessions, releasing)
  local used = {}
  for _, session in pairs(sessions) do used[session] = true end
  for session in string.gmatch(releasing, '%d+') do used[session + 0] = true end
  local session = tonumber(pool.field('session')) or leases.NO_SWITCH
  repeat
    session = session < lapsing.LAST_SESSION and session + 1 or leases.NO_SWITCH + 1
  until not used[session] and lapsing.count(session) == 0
  return session
end

function lives.log(verb, name, incarnation, reason)
  pool.log_of_all(verb, reason, ',"switch":"' .. texts.json(name) .. '","incarnation":"' .. texts.json(incarnation)
    .. '"')
end

function lives.is_releasing(session)
  local releasing = ' ' .. (pool.field('releasing') or '') .. ' '
  return string.find(releasing, ' ' .. string.format('%d', session) .. ' ', 1, true) ~= nil
end

-- Ends the number's call because its session is over.
function lives.cut_off(number)
  local rest_ms = math.max(pool.conf.restart_rest_ms, pool.conf.cooldown_ms)
  local state = states.read(number)
  if state and state.is_busy then
    calls.release(state, 'released', 'switch restarted', rest_ms)
  elseif not old_calls.finish(number, nil, 'released', 'switch restarted', rest_ms) then
    leases.remove(number)
  end
end

-- Ends calls of ended sessions, this many or fewer. Returns how many, and whether there are more.
function lives.release(most)
  local releasing = pool.field('releasing') or ''
  if releasing == '' then return 0, false end
  local released, left = 0, {}
  for session in string.gmatch(releasing, '%d+') do
    local from, to = lapsing.band(session)
    if released < most then
      local numbers = redis.call('ZRANGEBYSCORE', pool.tag .. ':timers', from, to, 'LIMIT', 0, most - released)
      for _, number in ipairs(numbers) do lives.cut_off(number) end
      released = released + #numbers
    end
    if lapsing.count(session) > 0 then left[#left + 1] = session end
  end
  pool.set('releasing', table.concat(left, ' '))
  pool.mark_special()
  return released, #left > 0
end

function lives.is_alive(switch)
  local silent_ms = math.abs(math.floor(pool.now / 1000) - switch.heard * 1000)
  return silent_ms <= lapsing.HEARD_INTERVALS * pool.conf.interval_ms
end
