-- The events `reg` and `unreg`: a contact of the number registers or leaves. The number is up while it has a contact.
local registration = {}

function registration.answer(is_up)
  local state, text = states.read(event.number)
  if text and not state then return machine.refuse('', 'unreadable state') end
  if not state then return machine.fail('nodata', 'unknown number') end
  local record = index.get('r:' .. event.number)
  local names_contact = is_up and (event.contact ~= '' or event.expires ~= '' or event.order ~= '')
  local reason = ''
  if record or names_contact then is_up, reason = contacts.change(state, record, is_up) end
  if reason == 'too many contacts' then return machine.refuse(states.name(state), reason) end
  if is_up ~= state.is_up then registration.change(state, is_up) end
  return machine.done(states.name(state), reason)
end

-- Sets the number up or down.
function registration.change(state, is_up)
  local before = states.code(state)
  if state.is_busy then
    pool.count('busy_down', is_up and -1 or 1)
  elseif state.held == states.OFFERED then
    waiting.withdraw(state, true)
  elseif state.held ~= '' then
    pool.count('aside', is_up and 1 or -1)
    if pool.conf.near then idle.remove_near(state.number) end -- left from when it went down
  elseif is_up then
    state.since = registration.ready(state)
    idle.add(state)
  else
    idle.remove(state.number, nil, false) -- it may stay among the near ones (idle.lua)
  end
  state.is_up = is_up
  states.write(state)
  local after = states.code(state)
  pool.log_event(event.told, event.verb, state.number, before, after, event.reason, '', state.since, pool.at)
  if pool.conf.special and is_up and not state.is_busy then waiting.serve() end
end

-- When the number may be picked: now, or when its rest is over.
function registration.ready(state)
  return state.since + 0 < pool.now and pool.at or state.since
end
