-- `call`: the same id again, a very number, or the next one to pick.
local counted, taken, picked, why = false, false, '', cause
if known and id ~= '' then
  local kind = byte(known)
  if kind == 76 then -- L: in a call
    local its = sub(known, 2)
    local lease = call('ZSCORE', TIMERS, its)
    if byte(conf, 4) == 49 or lease and lease % BAND * 1000 <= now then -- it may be over
      slow = slow or machinery(now, at)
      slow.sync(seq, conf)
      slow.overdue(its)
      seq, conf = slow.synced()
      if byte(call('HGET', POOL, 'c:' .. id)) ~= 76 then outcome, reason = '-1', 'ended' break end
    end
    if number ~= '' and number ~= its then outcome, reason = '-1', 'conflict' break end
    number = its
    --@include state_of
    reason, more = 'repeat', { 'lease_seconds', fmt('%.0f', sub(conf, 6, 15) / 1000) }
    break
  elseif kind == 69 then -- E: ended
    --@include age
    if age < 600000000 then outcome, reason = '-1', 'ended' break end
  elseif kind == 66 then -- B: was blocked, and counted
    --@include age
    counted = age < 600000000
  elseif kind == 87 or kind == 79 then -- W: waits, O: a number is offered
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    local asked = number
    number, counted = slow.turn(id, known, wait_ms)
    seq, conf = slow.synced()
    if number == '' then
      if not counted then
        outcome, reason, more = '0', 'waiting', slow.place(id)
        break
      end
      number = asked
      outcome, reason = '0', 'exhausted'
      break
    end
    picked = 'offered'
  end
end
if byte(conf, 1) == 114 and picked == '' then
  slow = slow or machinery(now, at)
  slow.sync(seq, conf)
  slow.open_in_time()
  seq, conf = slow.synced()
end
local status = byte(conf, 1)
-- A call *to* a number is a new one, and its number may be in a call that nobody reported yet.
local adopts = status == 114 and number ~= '' and id ~= '' and direction == 'out'
if picked == '' and status ~= 111 and not adopts then
  outcome, reason = '-1', status == 112 and 'paused' or 'recovering'
  break
end
if byte(conf, 3) == 49 and not adopts then -- a charged pool
  local voucher = paid ~= '' and call('HGET', POOL, 'v:' .. paid)
  if not voucher or now > sub(voucher, 1, 16) + 0 or (sub(voucher, 17) ~= '' and sub(voucher, 17) ~= id) then
    outcome, reason = '-1', 'charge first'
    break
  end
end
if byte(conf, 4) == 49 and picked == '' then -- somebody waits, or an old call runs on
  slow = slow or machinery(now, at)
  slow.sync(seq, conf)
  slow.serve()
  seq, conf = slow.synced()
end
if number ~= '' then
  st = call('HGET', NUMSTATE, number)
  if not st then outcome, state, reason = '0', 'nodata', 'unknown number' break end
  --@include cut_state
  if not b then
    slow = slow or machinery(now, at)
    b, u, since, props = slow.foreign(number, st)
    if not b then outcome, reason = '-1', 'unreadable state' break end
  end
  local lease = (b == '1' or sub(props, 1, 8) == ',"held":') and call('ZSCORE', TIMERS, number)
  local over = lease and (byte(conf, 4) == 49 or lease % BAND * 1000 <= now)
  if over or since + 0 > now and b == '0' and direction == 'out' then -- its call may be over, or its rest
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    if over then slow.overdue(number) else slow.catch_up() end
    if sub(conf, 4, 4) == '1' then slow.serve() end
    seq, conf = slow.synced()
    b, u, since, props = slow.read(number)
  end
  state = (b == '1' and 'busy' or 'idle') .. (u == '1' and '+up' or '+down')
  if b == '1' then
    outcome, reason = '-1', find(props, ',"suspect":1', 1, true) and 'suspect' or 'busy'
    break
  end
  local held = match(props, '^,"held":"(%a*)"') or ''
  if adopts and not find(held, 'u', 1, true) then
    why = 'adopted'
  elseif u == '0' then
    outcome, reason = '-1', 'offline'
    break
  elseif held ~= '' then
    if picked == 'offered' or (held == 'o' and direction == 'in') then
      slow = slow or machinery(now, at)
      slow.sync(seq, conf)
      props = slow.unoffer(number, since, props, picked ~= 'offered')
      seq, conf = slow.synced()
      taken = true
    elseif direction == 'out' or find(held, '[xu]') then -- u: another pool may have it in a call
      outcome = '-1'
      reason = find(held, 'x', 1, true) and 'old call' or held == 'o' and 'offered'
        or direction == 'out' and find(held, 'q', 1, true) and 'quarantined' or 'unconfirmed'
      break
    end
  elseif since + 0 > now and direction == 'out' then
    local cap = sub(conf, 56, 61)
    local day, used = match(props, ',"day":(%d+),"used":(%d+)')
    if cap ~= '000000' and day == sub(conf, 84, 93) and used + 0 >= cap + 0 then
      outcome, reason = '-1', 'capped'
      break
    elseif force == '0' then
      outcome, reason = '-1', 'resting'
      break
    end
  end
  if picked == '' then picked = 'asked' end
else
  if direction == 'in' then outcome, reason = '-1', 'malformed number' break end
  local looked = false
  repeat
    if stuck and callee ~= '' and sticky == '1' and sub(stuck, 1, 16) + 0 > now then
      number = sub(stuck, 17)
      st = call('HGET', NUMSTATE, number)
      b = nil
      if st then
        --@include cut_state
      end
      if b == '0' and u == '1' and since + 0 <= now and sub(props, 1, 8) ~= ',"held":' then
        picked = 'sticky'
      end
    end
    if picked == '' and near and area ~= '' and byte(conf, 2) == 49 then
      local low = fmt('%d', near * REGION + 1577836800000)
      local high = fmt('%d', near * REGION + sub(at, 1, 13))
      for _ = 1, 1000 do -- numbers that went down, or were deleted, are dropped when they are met
        number = call('ZRANGEBYSCORE', NEAR, low, high, 'LIMIT', 0, 1)[1]
        if not number then break end
        st = call('HGET', NUMSTATE, number)
        b = nil
        if st then
          --@include cut_state
        end
        if b == '0' and u == '1' and sub(props, 1, 8) ~= ',"held":' then
          picked = 'near'
          break
        end
        call('ZREM', NEAR, number)
      end
    end
    if picked == '' then
      for _ = 1, 16 do -- a member that its state contradicts is dropped; reconcile would do the same
        local popped = call('ZPOPMIN', IDLE)
        number = popped[1]
        if not number then break end
        if popped[2] + 0 > now then
          call('ZADD', IDLE, popped[2], number)
          number = nil
          break
        end
        st = call('HGET', NUMSTATE, number)
        b = nil
        if st then
          --@include cut_state
          if not b then
            slow = slow or machinery(now, at)
            b, u, since, props = slow.foreign(number, st)
          end
        end
        if b == '0' and u == '1' and sub(props, 1, 8) ~= ',"held":' then break end
        number = nil
      end
      if number then picked, taken = 'longest', true end
    end
    if picked ~= '' or looked then break end
    looked = true -- and once more, if something was due
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    local more_due = slow.catch_up()
    if more_due and sub(conf, 4, 4) == '1' then slow.serve() end
    seq, conf = slow.synced()
  until not more_due
  if picked == '' then
    number = ''
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    if wait_ms > 0 and slow.wait(id, wait_ms, counted) then
      outcome, reason, more = '0', 'waiting', slow.place(id)
    else
      outcome, reason = '0', 'exhausted'
      if not counted then slow.blocked(id, switch, agent, callee, 'exhausted') end
    end
    seq, conf = slow.synced()
    break
  end
end
--@include begin_call
if direction == 'in' then call('HINCRBY', POOL, 'carried_in', 1)
elseif why ~= 'adopted' then carried = carried + 1 end
if counted then call('HINCRBY', POOL, 'retried', 1) end
if u == '0' then call('HINCRBY', POOL, 'busy_down', 1) end
if paid ~= '' then call('HDEL', POOL, 'v:' .. paid) end
state = u == '1' and 'busy+up' or 'busy+down'
if more then
  more[#more + 1] = 'lease_seconds'
  more[#more + 1] = fmt('%d', sub(conf, 6, 12))
else
  more = { 'lease_seconds', fmt('%d', sub(conf, 6, 12)) }
end
if direction == 'in' then
  local last, until_us = match(props, ',"last":"([^"]*)","until":(%d+)')
  if last and until_us + 0 >= now then
    more[#more + 1] = 'last_agent'
    more[#more + 1] = find(last, '\\', 1, true) and machinery(now, at).plain(last) or last
  end
end
