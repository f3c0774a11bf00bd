-- A pool that lost its data is recovering: it is loaded from SQL and stays closed until its switches have reported
-- their calls or the longest lease has passed. `awaiting` has the names of these switches, separated by tabs.
-- Rarely needed.
local recovery = {}

-- The switch has reported its calls, or has restarted. The last one opens the pool. If the numbers were not loaded yet,
-- its report could not be used, and it must report again.
function recovery.report(switch)
  if pool.conf.status ~= 'recovering' or pool.field('loaded') ~= '1' then return end
  local left, is_awaited = {}, false
  for name in string.gmatch(pool.field('awaiting') or '', '[^\t]+') do
    if name == switch then is_awaited = true else left[#left + 1] = name end
  end
  if not is_awaited then return end
  pool.set('awaiting', table.concat(left, '\t'))
  if #left == 0 then recovery.open('every switch has reported') end
end

function recovery.open(reason)
  pool.set_column('status', pool.field('becomes') or settings.LETTER.open)
  redis.call('HDEL', pool.tag, 'awaiting', 'open_at', 'becomes')
  pool.log_of_all('opened', reason)
end

-- Opens the pool if the longest lease has passed. Returns whether it did.
function recovery.open_in_time()
  if pool.conf.status ~= 'recovering' then return false end
  repair.put_back(repair.AT_ONCE)
  local opens_us = recovery.opens_us()
  if not opens_us or opens_us > clock.calls_due() then return false end
  recovery.open('longest lease passed')
  return true
end

-- When the pool opens automatically, or nil if its numbers are not loaded yet.
function recovery.opens_us()
  local fields = redis.call('HMGET', pool.tag, 'open_at', 'loaded')
  if fields[1] and fields[2] == '1' then return fields[1] + 0 end
end
