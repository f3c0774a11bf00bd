-- A pool whose data was lost is recovering: it is loaded from SQL, and stays closed until its
-- switches have reported their calls or the longest lease has passed. `awaiting` names the switches, joined
-- by tabs.
-- Rarely needed.
local recovery = {}

-- A switch has reported, or begun anew; the last one opens the pool. What it reported before its numbers were there
-- could not be taken in: it reports once more.
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

-- Whether the longest lease has passed, and the pool opened.
function recovery.open_in_time()
  if pool.conf.status ~= 'recovering' then return false end
  repair.put_back(repair.AT_ONCE)
  local opens_us = recovery.opens_us()
  if not opens_us or opens_us > clock.calls_due() then return false end
  recovery.open('longest lease passed')
  return true
end

-- When it opens by itself; nil = its numbers are not there yet.
function recovery.opens_us()
  local fields = redis.call('HMGET', pool.tag, 'open_at', 'loaded')
  if fields[1] and fields[2] == '1' then return fields[1] + 0 end
end
