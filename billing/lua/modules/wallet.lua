-- The wallet that a call works on: wallet.open reads it, wallet.close writes what the call has changed. In between it
-- is this state, all set by wallet.open, since a library keeps it from one call to the next:
--   tag                    its hash's key, and the start of its other keys; log: that of its history
--   conf                   its settings (settings.lua); new_conf: their text, when this call has changed them
--   balance, held, spent   units that are there (less than 0: credit is used), that open holds have locked, that this
--                          day has spent
--   credit                 how far the balance may go below 0: the credit limit
--   grants, has_new_grants promotional credit (grants.lua), nil = there is none; whether this call has changed it
--   effects, late          what the next entry says of it; what came back to grants that are no more
--   pending                sum of the entries that SQL does not have
--   receivable             what is owed, when this call has changed it
--   seq, drained           its last history entry, and the last one that SQL has
--   first_balance, first_held, first_seq: those before this call
--   now, at                Redis' time in µs, as a number and as text; last: that of the call before
--   lags, settles, new_doubt: how far the clock is believed (clock.lua)
--   known                  the messages that were read, by id (messages.lua)
--   changed, due, done     what messages.save writes, in the order of the command's arguments
--   ends                   when holds end that begin now: µs as text, by period
--   has_looked             whether holds.make_room has looked for holds that are due
local wallet = {}

wallet.STAMP_US = 10000000 -- a call that changes nothing notes the time once in so long

-- Opens the wallet. Returns nil, or the reply when there is no such wallet or its data is two releases ahead.
function wallet.open(tag)
  local refusal = wallet.view(tag)
  if refusal then return refusal end
  if wallet.grants then grants.expire_due() end
  return nil
end

-- The same for those who only look: what is past its time is there as it was.
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
  wallet.credit = (credit or 0) + 0 -- data of a former release has none
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

-- For what works on a few fields alone: sets `tag`. Returns nil, or a reply as wallet.open; then the fields' values.
function wallet.look(tag, ...)
  local found = redis.call('HMGET', tag, 'script_version', 'script_sha', ...)
  local version, sha = found[1], found[2]
  if not version then return checks.refusal('no such wallet') end
  local reason = outdated(version, sha)
  if reason then return checks.refusal(reason) end
  wallet.tag = tag
  return nil, unpack(found, 3)
end

-- What can be spent now. Below 0 after the limit was lowered under what is used: then nothing can.
function wallet.spendable()
  return wallet.balance + wallet.credit
end

-- What would be there with nothing held. With the credit limit it stays below 2^53, so every figure is exact.
function wallet.total()
  return wallet.balance + wallet.held
end

-- Every key of a wallet.
function wallet.keys(tag)
  return { tag, tag .. ':messages', tag .. ':deadlines', tag .. ':log', tag .. ':parked', tag .. ':unpaid',
    tag .. ':operations', tag .. ':finals', tag .. ':rates' }
end

-- A field of the wallet's hash; false = it is not there.
function wallet.field(name)
  return redis.call('HGET', wallet.tag, name)
end

-- One entry of the history: words with a tab between (billing/wallet/changes.py), then what it did to grants.
function wallet.append(entry)
  wallet.seq = wallet.seq + 1
  if wallet.effects ~= '' then
    entry = entry .. '|' .. wallet.effects
    wallet.effects = ''
  end
  redis.call('XADD', wallet.log, string.format('%d-0', wallet.seq), 'at', wallet.at, 'e', entry)
  if wallet.late then grants.expire_late() end
end

-- Writes what has changed, and wakes those who watch.
function wallet.close()
  messages.save()
  clock.keep()
  if wallet.has_new_grants then redis.call('HSET', wallet.tag, 'grants', grants.text()) end
  if wallet.seq > wallet.first_seq then
    wallet.save()
    wake(wallet.tag, wallet.now, wallet.last)
  elseif wallet.now - wallet.last >= wallet.STAMP_US and clock.matters() then
    redis.call('HSET', wallet.tag, 'clock', wallet.at) -- it was seen, so it is believed when the next one asks
  end
end

-- The figures after at least one entry. `pend` moves with `bal`: what can be spent as SQL has it stays as it was.
function wallet.save()
  local tag, seq = wallet.tag, string.format('%d', wallet.seq)
  local gained = wallet.balance - wallet.first_balance
  if gained == 0 and wallet.held == wallet.first_held and not wallet.new_conf then
    redis.call('HSET', tag, 'seq', seq, 'clock', wallet.at)
  else
    redis.call('HSET', tag, 'seq', seq, 'clock', wallet.at, 'bal', string.format('%d', wallet.balance),
      'pend', string.format('%d', wallet.pending + gained), 'held', string.format('%d', wallet.held),
      'spent', string.format('%d', wallet.spent > 0 and wallet.spent or 0))
  end
  if wallet.new_conf then redis.call('HSET', tag, 'conf', wallet.new_conf) end
  if wallet.receivable then redis.call('HSET', tag, 'receivable', string.format('%d', wallet.receivable)) end
  -- A call that goes on from here changes what is written now.
  wallet.first_balance, wallet.first_held, wallet.first_seq = wallet.balance, wallet.held, wallet.seq
  wallet.pending, wallet.new_conf, wallet.new_doubt = wallet.pending + gained, nil, nil
end
