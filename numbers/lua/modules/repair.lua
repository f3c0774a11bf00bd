-- After Redis' clock was ahead and was set back: corrects deadlines that are later than they could be if set now.
-- Rarely needed.
local repair = {}

repair.AT_ONCE = 32 -- of each kind, in one request
repair.LONGEST_WAIT_US = 61000000 -- the longest wait_ms, with its grace period

-- Shortens rests that last longer than the settings allow, or beyond the end of a capped number's day, this many or
-- fewer. Returns how many were shortened.
function repair.shorten(most)
  local conf = pool.conf
  local latest = pool.now + math.max(conf.cooldown_ms, conf.restart_rest_ms) * 1000
  local late = {}
  if conf.cap > 0 and conf.day_us > latest then
    late = repair.resting(latest, '(' .. string.format('%d', conf.day_us), most)
    latest = conf.day_us
  end
  if #late == 0 then late = repair.resting(latest, '+inf', most) end
  for _, number in ipairs(late) do repair.shorten_one(number) end
  return #late
end

function repair.resting(after, to, most)
  local from = '(' .. string.format('%d', after)
  return redis.call('ZRANGEBYSCORE', pool.tag .. ':idle:up', from, to, 'LIMIT', 0, most)
end

function repair.shorten_one(number)
  local state = states.read(number)
  if not state or not states.can_be_picked(state) then
    idle.take_out(number) -- it contradicts its state; reconcile would do the same
    return
  end
  state.since = string.format('%d', pool.now + pool.conf.cooldown_ms * 1000)
  states.write(state)
  idle.enter(state)
  pool.log('rested', number, 'iur', pool.conf.cooldown_ms > 0 and 'iur' or 'iu', 'clock put back', '', '', state.since)
end

-- Corrects leases, suspicions, offers, turns and the opening of a recovering pool. Leases of an earlier, longer setting
-- keep the end that numbers/configure allowed. Checks about this many timers with a cursor, and the whole set once
-- after each step back. Returns whether any are left.
function repair.put_back(count)
  local mark = pool.conf.put_back
  if mark ~= '1' and mark ~= '2' then return false end
  local fields = redis.call('HMGET', pool.tag, 'put_back', 'longer_until', 'open_at')
  local longer_ms, opens_us = tonumber(fields[2]) or 0, tonumber(fields[3]) or 0
  local latest_us = math.max(math.floor(pool.now / 1000) + pool.conf.lease_ms, longer_ms) * 1000
  if opens_us > latest_us then pool.set('open_at', string.format('%d', latest_us)) end
  local page = redis.call('ZSCAN', pool.tag .. ':timers', mark == '2' and fields[1] or '0', 'COUNT', count)
  for place = 1, #page[2], 2 do repair.put_back_one(page[2][place], page[2][place + 1], longer_ms) end
  local is_more = page[1] ~= '0'
  if is_more then pool.set('put_back', page[1]) end
  pool.set_column('put_back', is_more and '2' or '0')
  return is_more
end

-- Corrects one timer: w<call ID> is a turn, o<number> an offer, and any other a number's lease.
function repair.put_back_one(member, score, longer_ms)
  local kind, name = string.match(member, '^(.)(.*)$')
  if kind == 'w' then
    repair.put_back_turn(name)
    return
  end
  local now_ms = math.floor(pool.now / 1000)
  local ends_ms = now_ms + waiting.OFFER_MS
  if kind ~= 'o' then
    local state = old_calls.read(member) or states.read(member)
    local is_suspect = state and calls.has(state, calls.SUSPECT)
    ends_ms = math.max(now_ms + (is_suspect and pool.conf.suspect_ms or pool.conf.lease_ms), longer_ms)
  end
  if score % leases.BAND > ends_ms then leases.set(member, math.floor(score / leases.BAND), ends_ms) end
end

function repair.put_back_turn(id)
  local turn = ids.turn(id)
  local latest = string.format('%d', pool.now + repair.LONGEST_WAIT_US)
  if turn and turn.number == '' and turn.ends > latest then
    turn.ends = latest
    ids.keep_turn(id, turn)
  end
end
