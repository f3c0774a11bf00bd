-- The end of a gate's recovery: permits that may still be held after a loss of Redis no longer count.
-- Rarely needed.
local recovery = {}

-- Whether the permits of the earlier generation have ended, and all tasks are loaded.
function recovery.is_over()
  if gate.conf.status ~= 'recovering' then return false end
  local open_at = gate.field('open_at')
  return open_at and gate.field('loaded') == '1' and open_at + 0 <= gate.due or false
end

-- status: open or paused. Ghosts are removed: on a promoted server, the whole cap would count as used.
function recovery.finish(status, reason)
  gate.set_conf(settings.with_status(gate.conf.text, status))
  redis.call('HDEL', gate.tag, 'ghosts')
  gate.log_of('opened', '', reason)
end
