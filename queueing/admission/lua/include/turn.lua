-- Whose turn it is: the cap, the rate and the line. Works on conf, now, at and the keys' names.
local cap, look = sub(conf, 6, 12) + 0, sub(conf, 38, 41) + 0
local period = sub(conf, 33, 37) * 1000000
local fair, rated = sub(conf, 2, 2) == '1', sub(conf, 3, 3) == '1'
local line_moved, none_silent, arrival, mean_hold = false, false, nil, nil

-- Ends the turn of up to 100 who have not asked for two periods.
local function forget_silent()
  if none_silent or due < now then return 0 end -- `now` is the same for all reports of a call
  local silent = call('ZRANGEBYSCORE', SEEN, '-inf', '(' .. fmt('%d', now - 2 * period), 'LIMIT', 0, 100)
  none_silent = #silent < 100
  if #silent == 0 then return 0 end
  call('ZREM', LINE, unpack(silent))
  call('ZREM', SEEN, unpack(silent))
  line_moved = true
  return #silent
end

-- nil = he may have a slot now; else why not. Besides, how many stand before him (nil: no line).
local function turn(who, used)
  local rank
  if fair then
    forget_silent()
    rank = call('ZRANK', LINE, who) or call('ZCARD', LINE)
  end
  local status = sub(conf, 1, 1)
  if status == 'p' then return 'paused', rank end
  if used >= cap then return status == 'r' and 'recovering' or 'full', rank end
  if rated then
    local start = call('LINDEX', STARTS, sub(conf, 42, 46) - 1)
    if start and start + 1000000 > now then return 'rate', rank end
  end
  if fair and rank >= look * (cap - used) then return 'turn', rank end
  return nil, rank
end

local function stand(who)
  if not fair then return end
  arrival = arrival or tonumber(call('HGET', GATE, 'arrival')) or 0
  local mine = now > arrival and now or arrival + 1
  if call('ZADD', LINE, 'NX', fmt('%d', mine), who) == 1 then
    arrival, line_moved = mine, true
  end
  call('ZADD', SEEN, at, who)
end

local function leave(who)
  if call('ZREM', LINE, who) == 1 then
    call('ZREM', SEEN, who)
    line_moved = true
  end
end

local function started()
  if rated then
    call('LPUSH', STARTS, at)
    call('LTRIM', STARTS, 0, sub(conf, 42, 46) - 1)
  end
end

-- Place from 1, estimate and when to ask again, both in s; empty where nothing can be said.
local function prospect(rank, reason)
  local seconds = sub(conf, 33, 37) + 0
  if reason == 'rate' then return rank and fmt('%d', rank + 1) or '', '1', '1' end
  if not rank or reason == 'paused' or reason == 'recovering' then
    return rank and fmt('%d', rank + 1) or '', '', fmt('%d', seconds)
  end
  mean_hold = mean_hold or tonumber(call('HGET', GATE, 'hold')) or 0
  if mean_hold <= 0 then mean_hold = sub(conf, 13, 18) * 500000 end
  local estimate = math.ceil((rank + 1) * mean_hold / cap / 1000000)
  return fmt('%d', rank + 1), fmt('%d', estimate), fmt('%d', math.max(1, math.min(seconds, estimate)))
end

local function count_line()
  if not line_moved then return end
  call('HSET', GATE, 'line', call('ZCARD', LINE))
  if arrival then call('HSET', GATE, 'arrival', fmt('%d', arrival)) end
end
