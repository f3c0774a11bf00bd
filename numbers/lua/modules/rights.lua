-- Redis checks each command of a script against the rights of its user. A missing right would stop the script between
-- two writes, so all rights are checked before the first write.
-- Rarely needed.
local rights = {}

-- The rights of a switch are checked once a second. Those of a caller that names no switch are checked each time if the
-- pool's tag is the only key, because our own processes don't call it that way.
function rights.must_be_tried(switch, gives_tag_alone)
  if switch then return switches.is_silent(switch) end
  return event.switch ~= '' or gives_tag_alone
end

-- Returns nil, or the error with the missing right. Redis 6.2 has no acl_check_cmd, so nothing is checked there. The
-- list equals that of `manage.py pool acl`, which a test compares. PUBLISH needs no right: it is called by pcall.
function rights.lacking()
  local may = redis.acl_check_cmd
  if not may or rights.has_all(may) then return nil end
  return redis.error_reply('NOPERM Nothing was changed: this user lacks a right that an event may need. '
    .. 'See manage.py pool acl.')
end

function rights.has_all(may)
  local tag = pool.tag
  local idle_up, near, timers = tag .. ':idle:up', tag .. ':idle:near', tag .. ':timers'
  local states_key, log, registrations = tag .. ':numstate', tag .. ':log', tag .. ':registrations'
  return may('HSET', tag, '', '') and may('HSET', states_key, '', '') and may('ZADD', idle_up, '0', '')
    and may('ZADD', near, '0', '') and may('ZADD', timers, '0', '') and may('ZADD', registrations, '0', '')
    and may('XADD', log, '*', '', '') and may('HDEL', tag, '') and may('HINCRBY', tag, '', '1')
    and may('ZREM', idle_up, '') and may('ZPOPMIN', idle_up) and may('XTRIM', log, 'MAXLEN', '1')
    and may('HGET', tag, '') and may('HEXISTS', tag, '') and may('ZSCORE', idle_up, '') and may('ZCARD', registrations)
    and may('ZCOUNT', timers, '0', '0') and may('ZRANGE', idle_up, '0', '0')
    and may('ZRANGEBYSCORE', idle_up, '0', '0') and may('ZSCAN', near, '0') and may('HMGET', tag, '')
end
