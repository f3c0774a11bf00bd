-- Records that are deleted some days after their end, oldest first, in {acct}:finals: the µs of the end, m for a
-- message or o for an operation, then its ID.
local finals = {}

finals.MESSAGE = 'm'
finals.OPERATION = 'o'
finals.ITEM = '^(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)([mo])(.*)$'
finals.ADDED_AT_ONCE = 1000

function finals.add(items)
  for first = 1, #items, finals.ADDED_AT_ONCE do
    local last = math.min(first + finals.ADDED_AT_ONCE - 1, #items)
    redis.call('RPUSH', wallet.tag .. ':finals', unpack(items, first, last))
  end
end

-- Adds a receipt that no history entry mentions, so it is written here. at: µs as text.
function finals.add_receipt(at, operation)
  redis.call('RPUSH', wallet.tag .. ':finals', at .. finals.OPERATION .. operation)
end
