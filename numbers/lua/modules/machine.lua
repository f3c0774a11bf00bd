-- The state machine: decides one event and returns { outcome, number, state, reason }, then pairs of name and value.
-- Outcome: 1 done, 0 failed, -1 not allowed.
local machine = {}

machine.OF_CONTACTS = { reg = true, unreg = true, del = true } -- events that look at a number's contacts

-- The fields of the index that the decision needs. They are read in one command.
function machine.fields()
  local fields, count = {}, 0
  if event.call_id ~= '' then fields[1], count = 'c:' .. event.call_id, 1 end
  if event.number ~= '' then
    fields[count + 1], count = 'a:' .. event.number, count + 1
    if machine.OF_CONTACTS[event.verb] then fields[count + 1], count = 'r:' .. event.number, count + 1 end
  elseif event.callee ~= '' and event.verb == 'call' then
    fields[count + 1], count = 's:' .. event.callee, count + 1
  end
  if event.switch ~= '' then fields[count + 1], count = 'w:' .. event.switch, count + 1 end
  if event.area ~= '' then fields[count + 1] = 'g:' .. event.area end
  return fields
end

-- Decides the event that event.read has read. A malformed event changes nothing. `switch`: the event's switch as
-- stored, or nil.
function machine.decide(switch)
  if event.problem then return pool.refusal('malformed ' .. event.problem, event.number) end
  if event.number ~= '' then event.number = spellings.stored(event.number) end
  local must_release = false
  if event.switch ~= '' then
    local session, refusal = switches.hear(switch)
    if not session then return machine.refuse('', refusal) end
    event.session, must_release = session, refusal
  end
  local answer = machine.answer()
  if must_release then answer[#answer + 1], answer[#answer + 2] = 'release', '1' end
  return answer
end

function machine.answer()
  local verb = event.verb
  if verb == 'call' then return calling.answer() end
  if verb == 'hangup' then return hangup.answer() end
  if verb == 'renew' then return renewal.answer() end
  if verb == 'add' then return membership.add() end
  if verb == 'del' then return membership.remove() end
  return registration.answer(verb == 'reg')
end

function machine.done(state_name, reason)
  return { '1', event.number, state_name, reason }
end

function machine.fail(state_name, reason)
  return { '0', event.number, state_name, reason }
end

function machine.refuse(state_name, reason)
  return { '-1', event.number, state_name, reason }
end

-- Like machine.done, with the length of the call's lease.
function machine.done_with_lease(state_name, reason)
  return { '1', event.number, state_name, reason, 'lease_seconds', pool.conf.lease_seconds }
end
