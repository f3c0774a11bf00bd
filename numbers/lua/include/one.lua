-- One event. In: argv. Out: outcome, number, state, reason, more (further pairs of the reply).
-- A block and not a function, so that event and events share it and no closure costs a call;
-- `break` ends it. Everything is validated before the first write.
outcome, number, state, reason, more = '1', '', '', '', nil
repeat
  local event, given, words = argv[1], argv[2], #argv
  if event and byte(event) == 123 then
    local problem
    --@include json_event
    if problem then outcome, reason = '-1', 'malformed ' .. problem break end
    event, given, words = argv[1], argv[2], #argv
  end
  if event ~= 'call' and event ~= 'hangup' and event ~= 'renew' and event ~= 'add' and event ~= 'del'
    and event ~= 'reg' and event ~= 'unreg' then
    outcome, reason = '-1', 'malformed event'
    break
  end
  if given and given ~= '-' then
    number = given
    if not find(given, '^%+?%d+$') or #given > 33 or (#given == 33 and byte(given) ~= 43) then
      outcome, number, reason = '-1', string.gsub(sub(given, 1, 40), '[^ -~]', '?'), 'malformed number'
      break
    end
  end

  local id, switch, incarnation, agent, callee, area, paid, contact, cause = '', '', '', '', '', '', '', '', ''
  local direction, force, sticky, expires, order, wait_ms = 'out', '0', '1', '', '', 0
  local problem
  if words > 2 then
    if words % 2 == 1 then problem = 'options: one has no value' end
    for i = 3, words - 1, 2 do
      local name, value = argv[i], argv[i + 1]
      if name == 'call_id' then id = value
      elseif name == 'switch' then switch = value
      elseif name == 'incarnation' then incarnation = value
      elseif name == 'agent' then agent = value
      elseif name == 'callee' then callee = value
      elseif name == 'near' then area = value
      elseif name == 'sticky' then sticky = value
      elseif name == 'direction' then direction = value
      elseif name == 'force' then force = value
      elseif name == 'paid' then paid = value
      elseif name == 'contact' then contact = value
      elseif name == 'expires' then expires = value
      elseif name == 'seq' then order = value
      elseif name == 'reason' then cause = value
      elseif name == 'wait_ms' then wait_ms = value
      else problem = 'option ' .. string.gsub(sub(name, 1, 40), '[^ -~]', '?') end
    end
    if #id > 128 then problem = 'call_id'
    elseif #switch > 64 then problem = 'switch'
    elseif #incarnation > 64 or (incarnation ~= '' and switch == '') then problem = 'incarnation'
    elseif #agent > 64 then problem = 'agent'
    elseif #callee > 64 then problem = 'callee'
    elseif area ~= '' and (#area > 40 or find(area, '[^%w_.-]')) then problem = 'near'
    elseif sticky ~= '1' and sticky ~= '0' then problem = 'sticky'
    elseif force ~= '1' and force ~= '0' then problem = 'force'
    elseif direction ~= 'out' and direction ~= 'in' then problem = 'direction'
    elseif #paid > 128 then problem = 'paid'
    elseif #contact > 256 then problem = 'contact'
    elseif #cause > 200 then problem = 'reason'
    elseif expires ~= '' and (#expires > 9 or find(expires, '%D') or expires + 0 > 315360000) then
      problem = 'expires'
    elseif order ~= '' and (#order > 16 or find(order, '%D') or (#order == 16 and order > '9007199254740992')) then
      problem = 'seq'
    elseif wait_ms ~= 0 then
      if #wait_ms > 5 or find(wait_ms, '^%d+$') ~= 1 or wait_ms + 0 > 60000 then problem = 'wait_ms'
      elseif batched then problem = 'wait_ms in a batch'
      elseif id == '' then problem = 'wait_ms without call_id'
      else wait_ms = wait_ms + 0 end
    end
  end
  if number == '' and event ~= 'call' and (event == 'add' or event == 'del' or event == 'reg'
    or event == 'unreg' or id == '') then
    problem = problem or 'number'
  end
  -- Only printable text is kept; quotes and backslashes are rare, so JSON forms are made only then.
  local id_json, switch_json, incarnation_json, agent_json = id, switch, incarnation, agent
  local callee_json, contact_json = callee, contact
  if words > 2 then
    local texts = id .. switch .. incarnation .. agent .. callee .. paid .. contact .. cause
    if not find(texts, '^[ -~]*$') or find(texts, '"', 1, true) or find(texts, '\\', 1, true) then
      --@include check_text
    end
  end
  if problem then outcome, reason = '-1', 'malformed ' .. problem break end

  -- A hangup that names number, call and incarnation as its state does needs no other look.
  local st, b, u, since, props, tail, heard
  if event == 'hangup' and number ~= '' then
    st = call('HGET', NUMSTATE, number)
    if st then
      --@include cut_call
    end
    if tail and incarnation ~= '' and id ~= '' and byte(conf, 4) == 48 then
      local named = '"call":"' .. id_json .. '","switch":"' .. switch_json .. '","incarnation":"'
        .. incarnation_json .. '"'
      if find(tail, named, 17, true) == 17 then heard = sub(tail, 12, 15) .. sub(at, 1, 10) .. incarnation end
    end
  end

  -- What the index knows of the call id, the callee, the switch and the region.
  local session, known, stuck, near = '1000', false, false, false
  if not heard and (id ~= '' or switch ~= '' or callee ~= '' or area ~= '') then
    -- Only what this event can use is asked for: each field costs a string and a look-up.
    local found
    if area ~= '' then found = call('HMGET', INDEX, 'c' .. id, 'w' .. switch, 's' .. callee, 'g' .. area)
    elseif callee ~= '' and event == 'call' then found = call('HMGET', INDEX, 'c' .. id, 'w' .. switch, 's' .. callee)
    else found = call('HMGET', INDEX, 'c' .. id, 'w' .. switch) end
    known, stuck, near = found[1], found[3], found[4]
    if switch ~= '' then
      local who = found[2]
      if who and (incarnation == '' or sub(who, 15) == incarnation) then
        session = sub(who, 1, 4)
        if now - sub(who, 5, 14) * 1000000 >= 1000000 then
          call('HSET', INDEX, 'w' .. switch, session .. sub(at, 1, 10) .. sub(who, 15))
        end
      else
        slow = slow or machinery(now, at)
        slow.sync(seq, conf)
        session, reason = slow.meet(switch, incarnation, who)
        seq, conf = slow.synced()
        if not session then outcome = '-1' break end
        if reason == 'release' then more = { 'release', '1' } end
        reason = ''
      end
    end
  end

  if event == 'call' then
    --@include one_call
  elseif event == 'hangup' then
    --@include one_hangup
  else
    --@include one_other
  end
until true
