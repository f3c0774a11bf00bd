-- The event `hangup`: ends a call by its number, its call ID, or both. A second hangup is harmless: it finds that the
-- call ID has ended, answers `repeat` and changes nothing.
local hangup = {}

function hangup.answer()
  local known = ids.known(event.call_id)
  local kind = known and known.kind
  if kind == 'ended' and hangup.is_of(known.number) then
    event.number = known.number
    return machine.done(states.name_of(event.number), 'repeat')
  elseif kind == 'waiting' or kind == 'offered' then
    waiting.leave(event.call_id, known)
    return machine.done('', 'left')
  elseif kind == 'running' and event.number ~= '' and event.number ~= known.number then
    return machine.refuse(states.name_of(event.number), 'other call')
  end
  if kind == 'running' then event.number = known.number end
  if event.number == '' then return hangup.early('', '') end
  return hangup.of_number()
end

-- Whether the event may mean the number's call. '' means that the call ID was ended without a number.
function hangup.is_of(number)
  return event.number == '' or number == '' or event.number == number
end

-- Ends a call ID that was never seen, so that its call, if it still arrives, counts as ended.
function hangup.early(state_name, number)
  ids.finish(event.call_id, number)
  return machine.done(state_name, 'early')
end

function hangup.of_number()
  local state, text = states.read(event.number)
  if text and not state then return machine.refuse('', 'unreadable state') end
  if not state or not state.is_busy then return hangup.of_no_call(state) end
  local _, _, its_id = calls.fields(state)
  if event.json(event.call_id) ~= its_id then
    return machine.refuse(states.name(state), event.call_id == '' and 'call id needed' or 'other call')
  end
  calls.finish(state, 'hangup', event.reason, pool.conf.cooldown_ms, event.told, event.call_id)
  local name = states.name(state)
  if pool.conf.special then waiting.serve() end
  return machine.done(name, '')
end

-- The number is in no call. If it was deleted during a call, that call ends now.
function hangup.of_no_call(state)
  local name = states.name(state)
  local is_old = pool.conf.special
    and old_calls.finish(event.number, event.call_id, 'hangup', event.reason, nil, old_calls.told())
  if is_old then
    -- Without IDs the table of events applies: the number was in no call.
    if event.call_id ~= '' then return machine.done(name, 'old call') end
    return state and machine.refuse(name, 'old call') or machine.fail(name, 'old call')
  end
  if not state then return machine.fail(name, 'unknown number') end
  if event.call_id == '' then return machine.refuse(name, 'not in a call') end
  return hangup.early(name, event.number)
end
