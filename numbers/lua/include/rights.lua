-- Redis checks each command of a script by the rights of the user who runs it, so one who lacks a right would stop the
-- script between two writes. Here all are tried before the first one; acl_check_cmd is not in Redis 6.2, where
-- nothing can be tried. The list is that of `manage.py pool acl`; a test compares them. PUBLISH needs none: it is pcall'ed.
local may = redis.acl_check_cmd
if may then
  local REGS = KEYS[7] or POOL .. ':registrations'
  if not (may('HSET', POOL, '', '') and may('HSET', NUMSTATE, '', '') and may('ZADD', IDLE, '0', '')
    and may('ZADD', NEAR, '0', '') and may('ZADD', TIMERS, '0', '') and may('ZADD', REGS, '0', '')
    and may('XADD', LOG, '*', '', '') and may('HDEL', POOL, '') and may('HINCRBY', POOL, '', '1')
    and may('ZREM', IDLE, '') and may('ZPOPMIN', IDLE) and may('XTRIM', LOG, 'MAXLEN', '1') and may('HGET', POOL, '')
    and may('HEXISTS', POOL, '') and may('HSCAN', POOL, '0') and may('EXISTS', REGS) and may('ZSCORE', IDLE, '')
    and may('ZCARD', REGS) and may('ZCOUNT', TIMERS, '0', '0') and may('ZRANGE', IDLE, '0', '0')
    and may('ZRANGEBYSCORE', IDLE, '0', '0') and may('ZSCAN', NEAR, '0')) then
    return redis.error_reply('NOPERM Nothing was changed: this user lacks a right that an event may need. '
      .. 'See manage.py pool acl.')
  end
end
