-- Results of devices. A token that the task never had decides nothing and is not kept.
local function decide(t, token, ok, took, data)
  local who = '@' .. t.device
  local held = call('HGET', GATE, '=' .. who)
  if held and sub(held, 1, 16) == token then
    learn_hold(held)
    drop_permit(who, held)
  end
  log(ok == '1' and 'done' or 'failed', who, token, '', t.id, t.attempt, t.batch, ok == '1' and '' or 'device', data)
  add(ok == '1' and 'done' or 'failed')
  if sub(conf, 4, 4) == '1' then
    add(ok == '1' and 'win_ok' or 'win_bad')
    if took ~= '' then
      add('win_took', took)
      add('win_timed')
    end
  end
  end_task(t, ok == '1' and 'd' or 'f')
  return 'accepted'
end

-- After a loss SQL may not know the last attempt: its token is of the life before and newer.
local function unknown_to_sql(t, token)
  return sub(conf, 1, 1) == 'r' and (t.state == 'p' or t.state == 'r') and #token == 16 and token + 0 < generation
    and (last_token(t) == '' or token > last_token(t))
end

local function take_result(device, task, token, ok, took, data)
  local t = read_task(task)
  if not t or t.device ~= device then return 'unknown task' end
  local who = '@' .. device
  local held = call('HGET', GATE, '=' .. who)
  if held and sub(held, 17, 32) + 0 <= due then -- ended before this came, whether swept or not
    end_permit(who, held, 'expired')
    t = read_task(task)
  end
  local place, stop, mark = find(t.tokens, token .. '(L?)')
  if not place then
    if not unknown_to_sql(t, token) then return 'unknown token' end
    t.tokens = t.tokens .. (t.tokens == '' and '' or ',') .. token
    return decide(t, token, ok, took, data)
  end
  local current = stop == #t.tokens
  if current and t.state == 'r' then return decide(t, token, ok, took, data) end
  if mark == 'L' then return 'repeat' end
  if current and (t.state == 'd' or (t.state == 'f' and t.payload ~= 'n')) then return 'repeat' end
  t.tokens = sub(t.tokens, 1, stop) .. 'L' .. sub(t.tokens, stop + 1)
  write_task(t)
  log('late', who, token, '', t.id, t.attempt, t.batch, ok == '1' and 'ok' or 'failed', data)
  add('late')
  add('overrun')
  return 'late'
end
