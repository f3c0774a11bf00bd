-- Receipts in {acct}:operations: the result of each operation ID, so that the operation is done once. Of a movement:
-- kind, amount, effect on the available balance, effect on the receivable, and answer, separated by tabs.
local receipts = {}

receipts.RECORD = '^([^\t]*)\t(%d*)\t(-?%d*)\t(-?%d*)\t([^\t]*)'

-- The receipt of a movement, or nil. The receipt of another kind of operation has no fields.
function receipts.of(operation)
  local record = receipts.read(operation)
  if not record then return nil end
  local kind, amount, effect, owed, answer = string.match(record, receipts.RECORD)
  return { kind = kind, amount = amount, effect = effect, owed = owed, answer = answer }
end

-- The reply to a movement.
function receipts.reply(answer, effect, owing)
  return { '1', string.format('%d', wallet.balance), string.format('%d', wallet.seq), answer, effect, owing,
    string.format('%d', wallet.receivable or wallet.field('receivable')) }
end

-- The reply to a movement that was already made with this operation ID, or nil. amount: nil matches any amount.
function receipts.repeated(operation, kind, amount)
  local receipt = receipts.of(operation)
  if not receipt then return nil end
  local is_same = receipt.kind == kind and (amount == nil or receipt.amount == amount)
  if not is_same then return receipts.reply('conflict', '0', '0') end
  local answer = receipt.answer == 'applied' and 'repeat' or receipt.answer
  return receipts.reply(answer, receipt.effect, receipt.owed)
end

function receipts.read(operation)
  return redis.call('HGET', wallet.tag .. ':operations', operation)
end

function receipts.write(operation, record)
  redis.call('HSET', wallet.tag .. ':operations', operation, record)
end

function receipts.record(kind, amount, effect, owed, answer)
  return kind .. '\t' .. amount .. '\t' .. effect .. '\t' .. owed .. '\t' .. answer
end
