-- After the clock was set back: times that were written while it was ahead are in the future.
-- Rarely needed.
local repair = {}

-- Corrects up to `limit` permits and waiting ones. The gate is `behind` until all are corrected. A permit lasts no
-- longer from now than the longest duration that was ever set, a waiting one was heard now, and nothing has started. So
-- the starts of one second or less are allowed twice.
function repair.put_back(limit)
  local longest = math.max(gate.conf.permit_us, (gate.field('longest') or 0) + 0)
  local permits_left = repair.shorten_permits(string.format('%d', gate.now + longest), limit)
  local seen = gate.tag .. ':seen'
  local heard = redis.call('ZRANGEBYSCORE', seen, '(' .. gate.at, '+inf', 'LIMIT', 0, limit)
  for _, who in ipairs(heard) do redis.call('ZADD', seen, gate.at, who) end
  redis.call('UNLINK', gate.tag .. ':starts')
  local open_at = gate.field('open_at')
  if open_at then
    local latest = gate.now + (gate.field('open_after') or longest)
    gate.set_number('open_at', math.min(open_at + 0, latest))
  end
  if (gate.field('win_at') or 0) + 0 > gate.now then gate.set('win_at', gate.at) end
  gate.behind = permits_left or #heard == limit
end

-- Returns whether there may be more of them.
function repair.shorten_permits(latest, limit)
  local key = gate.tag .. ':permits'
  local ahead = redis.call('ZRANGEBYSCORE', key, '(' .. latest, '+inf', 'LIMIT', 0, limit)
  for _, holder in ipairs(ahead) do
    local permit = permits.of(holder)
    if permit then
      permit.granted = string.format('%d', math.min(gate.now, permit.granted + 0))
      permits.move(holder, permit, latest)
      endings.log('renewed', holder, permit, permit.task and tasks.read(permit.task), 'clock')
    else
      redis.call('ZREM', key, holder)
    end
  end
  return #ahead == limit
end
