-- The event `hangup`: ends a call by its number, by its call id, or by both. It is harmless when it
-- comes twice: the second one finds the id ended, answers `repeat` and changes nothing.
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

-- Whether the event may mean the number's call; '' = the id was ended without a number.
function hangup.is_of(number)
  return event.number == '' or number == '' or event.number == number
end

-- A call id that was never seen: its call may still come, and then has ended.
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

-- The number is in no call. It may have been deleted in one, which ends now.
function hangup.of_no_call(state)
  local name = states.name(state)
  local is_old = pool.conf.special
    and old_calls.finish(event.number, event.call_id, 'hangup', event.reason, nil, hangup.told())
  if is_old then
    -- Without ids the table of events holds: the number itself was in no call.
    if event.call_id ~= '' then return machine.done(name, 'old call') end
    return state and machine.refuse(name, 'old call') or machine.fail(name, 'old call')
  end
  if not state then return machine.fail(name, 'unknown number') end
  if event.call_id == '' then return machine.refuse(name, 'not in a call') end
  return hangup.early(name, event.number)
end

-- What the event tells of the call, as JSON fields for the history.
function hangup.told()
  local told = ''
  if event.answered ~= '' then
    told = ',"answered":"' .. event.answered .. '","talk_seconds":"' .. event.talk_seconds .. '"'
  end
  if event.release_cause ~= '' then told = told .. ',"cause":"' .. texts.json(event.release_cause) .. '"' end
  return told
end
