-- What a named holder asks for: a permit, more time, or to give it back. `record` is what the
-- gate's hash holds of the holder, under "=<holder>".
local holders = {}

-- The reasons for which a request is refused; nil = none.
function holders.malformed_acquire(holder)
  if not checks.is_holder(holder) then return 'malformed holder' end
end

function holders.malformed_renew(holder, token)
  if not checks.is_holder(holder) then return 'malformed holder' end
  if not checks.is_token(token) then return 'malformed token' end
end

-- ok: 1, 0 or '' = not told; took_ms: '' = not told.
function holders.malformed_release(holder, token, ok, took_ms)
  if not checks.is_holder(holder) then return 'malformed holder' end
  if not is_digits(token, checks.TOKEN_DIGITS) then return 'malformed token' end
  local is_right = ok == '' or is_flag(ok)
  if not is_right or not checks.is_number_or_none(took_ms, checks.COUNT_DIGITS) then return 'malformed outcome' end
end

-- The reply that names a permit.
function holders.granted(permit, reason)
  return { '1', permit.token, permit.deadline, reason, gate.at }
end

function holders.refused(reason)
  return { '0', '', '', reason }
end

-- A permit, or a place in the line. Who has a permit gets the same again.
function holders.acquire(holder, record)
  local permit = permits.parse(record)
  if permit and not permits.is_over(permit) then return holders.granted(permit, 'repeat') end
  if permit then
    permits.drop(holder, permit)
    permits.log('expired', holder, permit, '')
    gate.count('expired')
  end
  if not line.is_clear() then
    local reason, rank = line.turn(holder)
    if reason then return holders.wait(holder, reason, rank) end
    line.leave(holder)
    line.started()
  end
  permit = permits.grant(holder)
  permits.log('granted', holder, permit, '')
  return holders.granted(permit, '')
end

function holders.wait(holder, reason, rank)
  line.stand(holder)
  gate.count('refused')
  local place, estimate, again = line.prospect(rank, reason)
  return { '0', place, estimate, reason, again }
end

-- More time, up to the longest since the granting. After a loss of Redis, a permit of the life
-- before comes back by this.
function holders.renew(holder, record, token)
  local permit = permits.parse(record)
  if not permit then return holders.adopt(holder, token) end
  if permit.token ~= token then return holders.refused('other token') end
  if permits.is_over(permit) then return holders.refused('late') end
  permits.renew(holder, permit)
  permits.log('renewed', holder, permit, '')
  gate.count('renewed')
  return holders.granted(permit, '')
end

function holders.adopt(holder, token)
  local is_of_before = token + 0 < gate.generation + 0
  if gate.conf.status ~= 'recovering' or not is_of_before or permits.ghosts() < 1 then
    return holders.refused('not held')
  end
  local permit = { token = token, deadline = permits.next_deadline(), granted = gate.at }
  permits.adopt(holder, permit)
  permits.log('adopted', holder, permit, '')
  return holders.granted(permit, 'adopted')
end

-- The permit back, once: a second time it is not held.
function holders.release(holder, record, token, ok, took_ms)
  local permit = permits.parse(record)
  if not permit then return holders.refused('not held') end
  if permit.token ~= token then return holders.refused('other token') end
  if permits.is_over(permit) then
    gate.count('overrun')
    return holders.refused('late')
  end
  permits.drop(holder, permit)
  permits.learn(permit)
  permits.log('released', holder, permit, ok == '0' and 'failed' or '')
  gate.released = gate.released + 1
  if ok ~= '' then adaptive.observe(ok, took_ms) end
  return { '1', '', '', '' }
end
