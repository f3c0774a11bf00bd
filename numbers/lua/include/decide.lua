-- One event, read by `parse`; known, who, stuck, near are what the tag's hash holds of its call (or
-- number's contacts), switch, callee and region. Out: outcome, number, state, reason, more (further
-- pairs of the reply), kept_1 … (see `words`).
-- A block and not a function, so that event and events share it and no closure costs a call;
-- `break` ends it. Everything is validated before the first write.
outcome, state, reason, more = '1', '', '', nil
repeat
  if problem then
    outcome, reason = '-1', 'malformed ' .. problem
    break
  end
  local st, b, u, since, props, cut
  local session = '1000'
  if switch ~= '' then
    if who and (incarnation == '' or sub(who, 15) == incarnation) then
      session = sub(who, 1, 4)
      if sub(who, 5, 14) ~= sub(at, 1, 10) and math.abs(now - sub(who, 5, 14) * 1000000) >= 1000000 then
        call('HSET', POOL, 'w:' .. switch, session .. sub(at, 1, 10) .. sub(who, 15))
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

  if event == 'call' then
    --@include one_call
  elseif event == 'hangup' then
    --@include one_hangup
  else
    --@include one_other
  end
until true
