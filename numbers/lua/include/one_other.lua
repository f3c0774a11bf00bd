-- `add`, `del`, `reg`, `unreg`, `renew`.
if number == '' then -- only renew may leave it out
  if not known or byte(known) ~= 76 then
    outcome, reason = '0', 'unknown call'
    break
  end
  number = sub(known, 2)
end
st = call('HGET', NUMSTATE, number)
if st then
  --@include cut_state
  if not b then
    slow = slow or machinery(now, at)
    b, u, since, props = slow.foreign(number, st)
    if not b and event ~= 'del' then outcome, reason = '-1', 'unreadable state' break end
  end
end
local log = nil -- what the history says: before and after

if event == 'add' then
  if b then
    state = (b == '1' and 'busy' or 'idle') .. (u == '1' and '+up' or '+down')
    break
  end
  local rule = call('HGET', POOL, 'added_by_script') -- else 'lend', as a release before had it
  if rule == 'refuse' then outcome, state, reason = '-1', 'nodata', 'add refused' break end
  local held = rule == 'confirm' and 'u' or '' -- until SQL has it, and no other pool (numbers/confirm)
  if area ~= '' and not near then
    slow = slow or machinery(now, at)
    near = slow.region(area)
  end
  props = near and ',"region":' .. near or ''
  if byte(conf, 4) == 49 and call('HEXISTS', POOL, 't:' .. number) == 1 then
    held = 'x' .. held
  end
  if byte(conf, 2) == 49 and (not near or held ~= '') then call('ZREM', NEAR, number) end -- left there by its del
  if held ~= '' then props = ',"held":"' .. held .. '","why":""' .. props end
  since = at
  call('HSET', NUMSTATE, number, '{"callstate":0,"regstate":0,"at":' .. at .. props .. '}')
  state, log = 'idle+down', '-\tid' .. held

elseif event == 'del' then
  state = 'nodata'
  if not st then break end
  if b == '0' and sub(props, 1, 8) ~= ',"held":' and not known then
    call('HDEL', NUMSTATE, number) -- the plain case, by far the most
    if u == '1' then call('ZREM', IDLE, number) end -- NEAR: see sweep_near
    log = u == '1' and 'iu\t-' or 'id\t-'
  else
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    log = slow.remove(number, st, b, u, since, props)
    seq, conf = slow.synced()
  end

elseif not b then
  outcome, state, reason = '0', 'nodata', 'unknown number'
  break

elseif event == 'renew' then
  state = (b == '1' and 'busy' or 'idle') .. (u == '1' and '+up' or '+down')
  if b ~= '1' then outcome, reason = '-1', 'not in a call' break end
  local tail = sub(props, find(props, ',"call":[', 1, true), -1)
  if match(tail, '^,"call":%[%d+,"[^"]*","([^"]*)"') ~= id_json then
    outcome, reason = '-1', id == '' and 'call id needed' or 'other call'
    break
  end
  if byte(conf, 3) == 49 then
    local voucher = paid ~= '' and call('HGET', POOL, 'v:' .. paid)
    if not voucher or now > sub(voucher, 1, 16) + 0 or (sub(voucher, 17) ~= '' and sub(voucher, 17) ~= id) then
      outcome, reason = '-1', 'charge first'
      break
    end
    call('HDEL', POOL, 'v:' .. paid)
  end
  call('ZADD', TIMERS, fmt('%d', sub(tail, 10, 13) * BAND + sub(at, 1, 13) + sub(conf, 6, 15)), number)
  more = { 'lease_seconds', fmt('%.0f', sub(conf, 6, 15) / 1000) }
  if find(tail, ',"suspect":1', 1, true) or find(tail, ',"unpaid":1', 1, true) then
    call('HSET', NUMSTATE, number, (string.gsub(string.gsub(st, ',"suspect":1', ''), ',"unpaid":1', '')))
    if find(tail, ',"suspect":1', 1, true) then
      local reg = (u == '1' and 'u' or 'd') .. (match(props, '^,"held":"(%a*)"') or '')
      log = 'b' .. reg .. 's\tb' .. reg
    end
  end

else -- reg and unreg
  local up = event == 'reg'
  local contacts = known
  if contacts or (up and (contact ~= '' or expires ~= '' or order ~= '')) then
    slow = slow or machinery(now, at)
    slow.sync(seq, conf)
    up, reason = slow.contact(number, contacts, u, up, contact, expires, order)
    seq, conf = slow.synced()
  end
  state = (b == '1' and 'busy' or 'idle') .. (u == '1' and '+up' or '+down')
  if reason == 'too many contacts' then outcome = '-1' break end
  if up == (u == '1') then break end
  local reg = up and 'u' or 'd'
  local held = match(props, '^,"held":"(%a*)"') or ''
  log = (b == '1' and 'b' or 'i') .. (u == '1' and 'u' or 'd') .. held
  if b == '1' then
    call('HINCRBY', POOL, 'busy_down', up and -1 or 1)
  else
    if held == 'o' then
      slow = slow or machinery(now, at)
      slow.sync(seq, conf)
      props = slow.unoffer(number, since, props, true)
      seq, conf = slow.synced()
      held = ''
    elseif held == '' then
      if up then
        local region = byte(conf, 2) == 49 and match(props, ',"region":(%d%d%d%d)')
        if since + 0 < now then since = at end
        call('ZADD', IDLE, since, number)
        if region then call('ZADD', NEAR, fmt('%d', region * REGION + math.ceil(since / 1000)), number) end
      else
        call('ZREM', IDLE, number) -- NEAR: see sweep_near
      end
    else
      call('HINCRBY', POOL, 'aside', up and 1 or -1)
      if byte(conf, 2) == 49 then call('ZREM', NEAR, number) end -- left there when it went down
    end
  end
  call('HSET', NUMSTATE, number, '{"callstate":' .. b .. ',"regstate":' .. (up and 1 or 0)
    .. ',"at":' .. since .. props .. '}')
  state = (b == '1' and 'busy' or 'idle') .. (up and '+up' or '+down')
  log = log .. '\t' .. (b == '1' and 'b' or 'i') .. reg .. held
end

if log then
  seq = seq + 1
  call('XADD', LOG, fmt('%d', seq), 'at', at, 'c', texts, 'e', event .. '\t' .. number .. '\t' .. log .. '\t' .. cause
    .. '\t\t' .. (since or '') .. '\t' .. at .. '\tw')
end
if byte(conf, 4) == 49 and state == 'idle+up' and outcome == '1' then
  slow = slow or machinery(now, at)
  slow.sync(seq, conf)
  slow.serve()
  seq, conf = slow.synced()
end
