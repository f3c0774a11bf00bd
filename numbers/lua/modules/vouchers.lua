-- One-time vouchers of a charged pool, in the index under v:<voucher>. numbers/voucher writes them.
-- Rarely needed.
local vouchers = {}

vouchers.RECORD = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)(.*)$'

vouchers.NOTE = '^v ([^ ]+) ' -- the note of a voucher in the charges (numbers/voucher)

-- The call ID in a note of the charges, or ''.
function vouchers.call_of(note)
  return string.match(note, '^c [^ ]+ (.*)$') or string.match(note, '^[ds] [^ ]+ [^ ]+ (.*)$')
    or string.match(note, '^v [^ ]+ (.*)$') or ''
end

-- Whether the event's voucher allows its call to begin or continue.
function vouchers.is_good()
  local record = event.paid ~= '' and index.get('v:' .. event.paid)
  if not record then return false end
  local ends, call_id = string.match(record, vouchers.RECORD)
  return pool.now <= ends + 0 and (call_id == '' or call_id == event.call_id)
end

function vouchers.use()
  if event.paid ~= '' then index.remove('v:' .. event.paid) end
end
