-- The adaptive cap: additive up, multiplicative down, by what was told within the interval.
local new_cap = ''
if sub(conf, 4, 4) == '1' and sub(conf, 1, 1) == 'o' then
  local f = call('HMGET', GATE, 'adapt', 'win_at', 'win_ok', 'win_bad', 'win_took', 'win_timed')
  local least, most, step_up, percent, errors, latency, interval =
    string.match(f[1] or '', '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  local since = tonumber(f[2]) or 0
  if least and now - since >= interval * 1000000 then
    local good, bad = tonumber(f[3]) or 0, tonumber(f[4]) or 0
    local timed = tonumber(f[6]) or 0
    local mean = timed > 0 and (tonumber(f[5]) or 0) / timed or 0
    local before, after = sub(conf, 6, 12) + 0, sub(conf, 6, 12) + 0
    local why = ''
    if good + bad > 0 and bad * 100 > errors * (good + bad) then
      after, why = math.floor(before * percent / 100), 'errors'
    elseif latency + 0 > 0 and mean > latency + 0 then
      after, why = math.floor(before * percent / 100), 'latency'
    elseif good + bad > 0 and used() * 10 >= before * 8 then
      after, why = before + step_up, 'healthy'
    end
    after = math.max(least + 0, math.min(most + 0, after))
    call('HSET', GATE, 'win_at', at, 'win_ok', 0, 'win_bad', 0, 'win_took', 0, 'win_timed', 0)
    if after ~= before then
      new_cap = fmt('%d', after)
      conf = sub(conf, 1, 5) .. fmt('%07d', after) .. sub(conf, 13)
      call('HSET', GATE, 'conf', conf)
      log('resized', '', '', '', '', '', '', why, fmt('%d', before) .. ' ' .. new_cap)
    end
  end
end
