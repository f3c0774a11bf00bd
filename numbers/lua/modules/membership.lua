-- The events `add` and `del`: a number joins or leaves the pool.
-- Rarely needed.
local membership = {}

function membership.add()
  local state, text = states.read(event.number)
  if state then return machine.done(states.name(state), '') end
  if text then return machine.refuse('', 'unreadable state') end
  local rule = pool.field('added_by_script') -- the default of earlier releases
  if rule == 'refuse' then return machine.refuse('nodata', 'add refused') end
  local held = rule == 'confirm' and states.UNCONFIRMED or '' -- until SQL has it (numbers/confirm)
  if pool.conf.special and old_calls.exists(event.number) then held = states.OLD_CALL .. held end
  local region = event.area ~= '' and regions.number(event.area) or nil
  -- It may be left there after its del.
  if pool.conf.near and (not region or held ~= '') then idle.remove_near(event.number) end
  state = membership.state(event.number, false, held, '', region)
  states.write(state)
  membership.log('add', '-', states.code(state), pool.at)
  return machine.done(states.name(state), '')
end

-- A running call continues as an old call until its hangup or the end of its lease.
function membership.remove()
  local state, text = states.read(event.number)
  if not text then return machine.done('nodata', '') end
  redis.call('HDEL', pool.tag .. ':numstate', event.number)
  if index.get('r:' .. event.number) then contacts.forget(event.number) end
  local since = state and state.since or ''
  local before, after = '?', '-'
  if not state then
    redis.call('ZREM', pool.tag .. ':idle:up', event.number)
    leases.remove(event.number)
  else
    before = states.code(state)
    after = membership.let_go(state, text)
  end
  membership.log('del', before, after, since)
  return machine.done('nodata', '')
end

-- Removes the number from every set and count. Returns its code in the history.
function membership.let_go(state, text)
  if state.held == states.OFFERED then
    waiting.withdraw(state, true)
  elseif state.held ~= '' and not state.is_busy and state.is_up then
    pool.count('aside', -1)
  elseif states.can_be_picked(state) then
    idle.remove(state.number, nil, false) -- it may be left among the near ones (idle.lua)
  end
  if states.is_held(state, states.QUARANTINED) then pool.count('quarantined', -1) end
  if not state.is_busy then return '-' end
  if not state.is_up then pool.count('busy_down', -1) end
  old_calls.keep(state.number, text)
  return '-x'
end

function membership.log(verb, before, after, since)
  pool.log_event(event.told, verb, event.number, before, after, event.reason, '', since, pool.at)
end

-- Adds a number that is in SQL. verb: the history's verb, or '' to write no entry (while the pool is rebuilt).
function membership.load(number, is_up, region_name, quarantine_reason, verb)
  local held, why = '', ''
  if quarantine_reason ~= '' then
    held, why = states.QUARANTINED, texts.json(texts.reason(quarantine_reason))
    pool.count('quarantined', 1)
  end
  if pool.conf.special and old_calls.exists(number) then held = held .. states.OLD_CALL end
  local region = region_name ~= '' and regions.number(region_name) or nil
  local state = membership.state(number, is_up, held, why, region)
  states.write(state)
  if is_up and held == '' then
    idle.enter(state)
  elseif is_up then
    pool.count('aside', 1)
  end
  if pool.conf.near and not region then idle.remove_near(number) end -- left from its del
  if verb ~= '' then pool.log(verb, number, '-', states.code(state), '', '', '', pool.at) end
end

-- Confirms a number that the event add brought at this time (nil: at any time): it may be picked now. An unconfirmed
-- number is in no call and is not picked, so the time in its state is still that of its add. Returns whether it was
-- unconfirmed.
function membership.confirm(number, added_at)
  local state = states.read(number)
  if not state or state.is_busy or not states.is_held(state, states.UNCONFIRMED) then return false end
  if added_at and state.since ~= added_at then return false end
  local before = states.code(state)
  states.release(state, states.UNCONFIRMED)
  if states.can_be_picked(state) then
    state.since = pool.at
    pool.count('aside', -1)
    idle.enter(state)
  end
  states.write(state)
  pool.log('confirmed', number, before, states.code(state), '', '', '', state.since)
  return true
end

-- The state of a number that joins the pool.
function membership.state(number, is_up, held, why, region)
  return { number = number, is_busy = false, is_up = is_up, since = pool.at, held = held, why = why, region = region,
    props = '', call = '' }
end
