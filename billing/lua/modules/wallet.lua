-- The wallet that an operation works on. wallet.open reads it, and wallet.close writes what has changed. A library
-- keeps this table from one call to the next, so wallet.open sets all of these fields:
--   tag                    the key of its hash, with which its other keys begin; log: the key of its history
--   conf                   its settings (settings.lua); new_conf: their text, if this operation has changed them
--   balance, held, spent   units that are available (negative if credit is used), locked by open holds, spent this day
--   credit                 how far the balance may go below 0: the credit limit
--   grants, has_new_grants promotional credit (grants.lua), or nil; whether this operation has changed it
--   effects, late          the next entry's changes of grants; units returned to grants that no longer exist
--   pending                the sum of the entries that SQL does not have yet
--   receivable             what is owed, if this operation has changed it
--   seq, drained           its last history entry, and the last one in SQL
--   balance_text, seq_text, credit_text: the balance as it is in Redis, the last entry and the credit limit, as text
--   first_balance, first_held, first_seq: the values before this operation
--   now, at                Redis' time in µs, as a number and as text; last: the time of the last operation
--   lags, settles, new_doubt: how far the clock is trusted (clock.lua)
--   known                  the messages that were read, by ID (messages.lua)
--   changed, due, done     what messages.save writes, in the order of the command's arguments
--   ends                   when holds end that begin now: µs as text, by period
--   has_looked             whether holds.make_room has already run
local wallet = {}

wallet.STAMP_US = 10000000 -- an operation without a change records the time once in this period

-- Opens the wallet. Returns nil, or the reply if the wallet does not exist or its data is two releases ahead.
function wallet.open(tag)
  local refusal = wallet.view(tag)
  if refusal then return refusal end
  if wallet.grants then grants.expire_due() end
  return nil
end

-- Like wallet.open, for operations that only read: expired holds stay as they are.
function wallet.view(tag)
  local found = redis.call('HMGET', tag, 'conf', 'seq', 'clock', 'bal', 'pend', 'held', 'spent', 'drained', 'doubt',
    'script_version', 'credit', 'grants')
  local conf, seq, last, balance, pending, held, spent, drained, doubt, version, credit,
    granted = unpack(found)
  if not conf then return checks.refusal('no such wallet') end
  if version - VERSION > 1 then
    return checks.refusal(outdated(version, redis.call('HGET', tag, 'script_sha')))
  end
  wallet.tag, wallet.log = tag, tag .. ':log'
  wallet.conf, wallet.new_conf = settings.read(conf), nil
  wallet.balance, wallet.held, wallet.spent = balance + 0, held + 0, spent + 0
  wallet.credit_text = credit or '0' -- an earlier release's data has none
  wallet.credit, wallet.balance_text, wallet.seq_text = wallet.credit_text + 0, balance, seq
  wallet.pending, wallet.receivable = pending + 0, nil
  wallet.grants = granted and granted ~= '' and grants.read(granted) or nil
  wallet.has_new_grants, wallet.effects, wallet.late = false, '', nil
  wallet.seq, wallet.drained = seq + 0, drained + 0
  wallet.first_balance, wallet.first_held, wallet.first_seq = wallet.balance, wallet.held, wallet.seq
  wallet.last = last + 0
  wallet.now = now_us(wallet.last)
  wallet.at = string.format('%d', wallet.now)
  wallet.known, wallet.changed, wallet.due, wallet.done = {}, {}, {}, {}
  wallet.ends, wallet.has_looked = {}, false
  clock.judge(doubt or '')
  if wallet.now >= wallet.conf.midnight_us then days.turn() end
  return nil
end

-- For operations that need only a few fields: sets `tag`, and returns nil or a reply as wallet.open does, then the
-- values.
function wallet.look(tag, ...)
  local found = redis.call('HMGET', tag, 'script_version', 'script_sha', ...)
  local version, sha = found[1], found[2]
  if not version then return checks.refusal('no such wallet') end
  local reason = outdated(version, sha)
  if reason then return checks.refusal(reason) end
  wallet.tag = tag
  return nil, unpack(found, 3)
end

-- The units that can be spent now. After the credit limit was lowered, this can be negative; nothing can be spent then.
function wallet.spendable()
  return wallet.balance + wallet.credit
end

-- The balance without any holds. With the credit limit it stays below 2^53, so every figure is exact.
function wallet.total()
  return wallet.balance + wallet.held
end

-- All keys of a wallet.
function wallet.keys(tag)
  return { tag, tag .. ':messages', tag .. ':deadlines', tag .. ':log', tag .. ':parked', tag .. ':unpaid',
    tag .. ':operations', tag .. ':finals', tag .. ':rates' }
end

-- A field of the wallet's hash, or false if it does not exist.
function wallet.field(name)
  return redis.call('HGET', wallet.tag, name)
end

-- Writes a history entry: values separated by tabs (billing/wallet/changes.py), then its changes of grants.
function wallet.append(entry)
  wallet.seq = wallet.seq + 1
  wallet.seq_text = string.format('%d', wallet.seq)
  if wallet.effects ~= '' then
    entry = entry .. '|' .. wallet.effects
    wallet.effects = ''
  end
  redis.call('XADD', wallet.log, wallet.seq_text, 'at', wallet.at, 'e', entry)
  if wallet.late then grants.expire_late() end
end

-- Writes what has changed, and wakes the listeners.
function wallet.close()
  messages.save()
  clock.keep()
  if wallet.has_new_grants then redis.call('HSET', wallet.tag, 'grants', grants.text()) end
  if wallet.seq > wallet.first_seq then
    wallet.save()
    wake(wallet.tag, wallet.now, wallet.last)
  elseif wallet.now - wallet.last >= wallet.STAMP_US and clock.matters() then
    redis.call('HSET', wallet.tag, 'clock', wallet.at) -- an operation saw it, so the next one trusts it
  end
end

-- Writes the figures after an entry. `pend` moves with `bal`, so the available balance that SQL knows stays the same.
function wallet.save()
  local tag, seq = wallet.tag, wallet.seq_text
  local gained = wallet.balance - wallet.first_balance
  if gained == 0 and wallet.held == wallet.first_held and not wallet.new_conf then
    redis.call('HSET', tag, 'seq', seq, 'clock', wallet.at)
  else
    wallet.balance_text = string.format('%d', wallet.balance)
    redis.call('HSET', tag, 'seq', seq, 'clock', wallet.at, 'bal', wallet.balance_text,
      'pend', string.format('%d', wallet.pending + gained), 'held', string.format('%d', wallet.held),
      'spent', string.format('%d', wallet.spent > 0 and wallet.spent or 0))
  end
  if wallet.new_conf then redis.call('HSET', tag, 'conf', wallet.new_conf) end
  if wallet.receivable then redis.call('HSET', tag, 'receivable', string.format('%d', wallet.receivable)) end
  -- An operation that continues from here changes what is written now.
  wallet.first_balance, wallet.first_held, wallet.first_seq = wallet.balance, wallet.held, wallet.seq
  wallet.pending, wallet.new_conf, wallet.new_doubt = wallet.pending + gained, nil, nil
end
