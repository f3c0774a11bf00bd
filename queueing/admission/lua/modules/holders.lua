-- The requests of a named holder: to get a permit, to renew it, or to return it. `record`: the field "=<holder>" of the
-- gate's hash.
local holders = {}

-- Why a request is malformed, or nil.
function holders.malformed_acquire(holder, weight, waits_flag)
  if not checks.is_holder(holder) then return 'malformed holder' end
  if not checks.is_weight_or_none(weight) then return 'malformed weight' end
  if waits_flag ~= '' and not is_flag(waits_flag) then return 'malformed waits' end
end

function holders.malformed_renew(holder, token, weight)
  if not checks.is_holder(holder) then return 'malformed holder' end
  if not checks.is_weight_or_none(weight) then return 'malformed weight' end
  if not checks.is_token(token) then return 'malformed token' end
end

-- ok: 1, 0 or '' if not reported; took_ms: '' if not reported.
function holders.malformed_release(holder, token, ok, took_ms)
  if not checks.is_holder(holder) then return 'malformed holder' end
  if not is_digits(token, checks.TOKEN_DIGITS) then return 'malformed token' end
  local is_right = ok == '' or is_flag(ok)
  if not is_right or not checks.is_number_or_none(took_ms, checks.COUNT_DIGITS) then return 'malformed outcome' end
end

-- The reply with a permit. The last part is its weight, '' = 1.
function holders.granted(permit, reason)
  return { '1', permit.token, permit.deadline, reason, gate.at, permits.weight_told(permit) }
end

function holders.refused(reason)
  return { '0', '', '', reason }
end

-- at: when the holder was last refused. A turn that was requested later stays.
function holders.malformed_leave(holder, token, at)
  if not checks.is_holder(holder) then return 'malformed holder' end
  if not checks.is_token_or_none(token) then return 'malformed token' end
  if not checks.is_token_or_none(at) then return 'malformed time' end
end

-- Grants a permit or a place in the line. A holder that has a permit gets the same one. weight: '' = 1. waits_flag: 1 =
-- the caller asks again automatically.
function holders.acquire(holder, record, weight, waits_flag)
  weight = weight == '' and 1 or weight + 0
  local permit = permits.parse(record)
  if permit and not permits.is_over(permit) then return holders.ask_again(holder, permit, weight) end
  if permit then
    permits.drop(holder, permit)
    permits.log('expired', holder, permit, '')
    gate.count('expired')
  end
  if weight > gate.conf.cap then
    line.leave(holder)
    return checks.refusal('weight over cap')
  end
  if not line.is_clear(weight) then
    local reason, rank, kept = line.turn(holder, weight)
    if reason then
      if waits_flag ~= '1' then gate.count('refused') end
      return holders.wait(holder, reason, rank, weight, kept)
    end
    waits.note(holder)
    line.leave(holder)
    line.started(weight)
  else
    waits.note_none()
  end
  permit = permits.grant(holder, nil, weight)
  permits.log('granted', holder, permit, '')
  return holders.granted(permit, '')
end

-- The permit that the holder already has. It is marked, so that a caller that gave up does not take it back now.
function holders.ask_again(holder, permit, weight)
  if permit.weight ~= weight then return checks.refusal('other weight') end
  if not permit.asked_again then
    permit.asked_again = true
    permits.write(holder, permit)
  end
  return holders.granted(permit, 'repeat')
end

function holders.wait(holder, reason, rank, weight, kept)
  line.stand(holder, weight)
  local place, estimate, again = line.prospect(rank, reason, weight, kept)
  return { '0', place, estimate, reason, again, gate.at }
end

-- A waiting caller has given up. Its turn ends, and so does the permit that was granted to it but never returned to it,
-- unless its holder has asked again since.
function holders.leave(holder, record, token, at)
  local permit = permits.parse(record)
  local is_unused = permit and permit.token == token and not permit.asked_again and not permits.is_over(permit)
  if is_unused then
    permits.drop(holder, permit)
    permits.log('released', holder, permit, 'left')
    gate.released = gate.released + 1
  end
  local seen = at ~= '' and redis.call('ZSCORE', gate.tag .. ':seen', holder)
  local has_turn = seen and seen + 0 == at + 0
  if has_turn then line.leave(holder) end
  return { (is_unused or has_turn) and '1' or '0', '', '', '' }
end

-- Extends the permit, up to its longest duration since it was granted. After a loss of Redis, this restores a permit of
-- the earlier generation. weight: '' = unchanged; it counts only if no record has it.
function holders.renew(holder, record, token, weight)
  local permit = permits.parse(record)
  if not permit then return holders.adopt(holder, token, weight == '' and 1 or weight + 0) end
  if permit.token ~= token then return holders.refused('other token') end
  if permits.is_over(permit) then return holders.refused('late') end
  permits.renew(holder, permit)
  permits.log('renewed', holder, permit, '')
  gate.count('renewed')
  return holders.granted(permit, '')
end

function holders.adopt(holder, token, weight)
  local is_of_before = token + 0 < gate.generation + 0
  if gate.conf.status ~= 'recovering' or not is_of_before or permits.ghosts() < weight then
    return holders.refused('not held')
  end
  local permit = { token = token, deadline = permits.next_deadline(), granted = gate.at, weight = weight }
  permits.adopt(holder, permit)
  permits.log('adopted', holder, permit, '')
  return holders.granted(permit, 'adopted')
end

-- Returns the permit. A second time, it is not held.
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
