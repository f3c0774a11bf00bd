-- What is forgotten some days after its end, oldest first, in {acct}:finals: the µs of the end, m for a message or o
-- for an operation, then its id.
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

-- A receipt that no entry of the history tells of: it writes itself down. at: µs as text.
function finals.add_receipt(at, operation)
  redis.call('RPUSH', wallet.tag .. ':finals', at .. finals.OPERATION .. operation)
end
