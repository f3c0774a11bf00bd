-- The number from which a callee was last called, in the index under s:<callee>.
local sticky = {}

sticky.RECORD = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(.*)$'

function sticky.remember(callee, number)
  if pool.conf.sticky_us == 0 then return end
  index.set('s:' .. callee, string.format('%d', pool.now + pool.conf.sticky_us) .. number)
end

-- Returns nil if there is none, or if it has expired.
function sticky.number(callee)
  local record = index.get('s:' .. callee)
  if not record then return nil end
  local ends, number = string.match(record, sticky.RECORD)
  if ends + 0 > pool.now then return number end
end
