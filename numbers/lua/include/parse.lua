-- The words of one event. In: argv, batched, and event … texts, declared by `words`. Touches no key:
-- what is wrong stands in `problem` until `decide` answers.
event, given, words, number, problem = argv[1], argv[2], #argv, '', nil
if event and byte(event) == 123 then
  --@include json_event
  event, given, words = argv[1], argv[2], #argv
end
if not problem and event ~= 'call' and event ~= 'hangup' and event ~= 'renew' and event ~= 'add'
  and event ~= 'del' and event ~= 'reg' and event ~= 'unreg' then
  problem = 'event'
end
if given and given ~= '-' then
  number = given
  if not find(given, '^%+?%d+$') or #given > 33 or (#given == 33 and byte(given) ~= 43) then
    number, problem = string.gsub(sub(given, 1, 40), '[^ -~]', '?'), problem or 'number'
  end
end
id, switch, incarnation, agent, callee, area, paid, contact, cause = '', '', '', '', '', '', '', '', ''
direction, force, sticky, expires, order, wait_ms, texts = 'out', '0', '1', '', '', 0, ''
release_cause, answered, talk = '', '', ''
if words > 2 and not problem then
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
    elseif name == 'cause' then release_cause = value
    elseif name == 'answered' then answered = value
    elseif name == 'talk_seconds' then talk = value
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
  elseif #release_cause > 64 then problem = 'cause'
  elseif answered ~= '' and answered ~= '1' and answered ~= '0' then problem = 'answered'
  elseif talk ~= '' and (#talk > 9 or find(talk, '%D') or talk + 0 > 315360000) then problem = 'talk_seconds'
  elseif talk ~= '' and answered ~= '1' then problem = 'talk_seconds without answered'
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
  -- Only printable text is kept; quotes and backslashes are rare, so JSON forms are made only then.
  -- What stands between the tabs is the history's own form: checked and written as one string.
  id_json, switch_json, incarnation_json, agent_json = id, switch, incarnation, agent
  callee_json, contact_json = callee, contact
  local plain
  if event == 'call' then
    texts = id .. '\t' .. switch .. '\t' .. incarnation .. '\t' .. agent .. '\t' .. callee .. '\t' .. direction
    plain = find(texts, '^[ -~]*\t[ -~]*\t[ -~]*\t[ -~]*\t[ -~]*\t%l*$')
      and (paid == '' and cause == '' and contact == '' and release_cause == ''
        or find(paid .. cause .. contact .. release_cause, '^[ -~]*$'))
  elseif event == 'hangup' then
    plain = find(id .. switch .. incarnation .. agent .. callee .. paid .. contact .. cause .. release_cause, '^[ -~]*$')
    texts = id
    if answered ~= '' or release_cause ~= '' then
      texts = id .. '\t\t\t\t\t\t\t' .. answered .. '\t' .. talk .. '\t' .. release_cause
    end
  else
    texts = id .. '\t' .. switch .. '\t' .. incarnation .. '\t' .. agent .. '\t' .. callee .. '\t\t' .. contact
    plain = find(texts, '^[ -~]*\t[ -~]*\t[ -~]*\t[ -~]*\t[ -~]*\t\t[ -~]*$') and find(paid .. cause .. release_cause, '^[ -~]*$')
  end
  if not plain or find(texts, '"', 1, true) or find(texts, '\\', 1, true) then
    --@include check_text
  end
else
  id_json, switch_json, incarnation_json, agent_json, callee_json, contact_json = '', '', '', '', '', ''
end
if number == '' and event ~= 'call' and (event == 'add' or event == 'del' or event == 'reg'
  or event == 'unreg' or id == '') then
  problem = problem or 'number'
end
