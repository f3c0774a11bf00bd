--[[ numbers/force_hangup
Purpose: Ends a call on behalf of an operator, or marks it as no longer paid.
KEYS as numbers/event
ARGV[1] number             the number in the call
ARGV[2] call_id            only this call; "" = whichever it is
ARGV[3] reason             for the history
ARGV[4] how                end = now; unpaid = live lists and renewals without a voucher keep it no longer
Reply: [1, number, state, "", call_id, id, switch, name]
Errors: -1 "no such pool", "script outdated …"; 0 "unknown number"; -1 "not in a call", "other call"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local number, id, how = ARGV[1] or '', ARGV[2] or '', ARGV[4] or 'end'
if how ~= 'end' and how ~= 'unpaid' then return pool.refusal('malformed how') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local reason = texts.reason(ARGV[3])

local function of_call(state)
  local its_id = calls.id(state)
  local _, _, _, switch = calls.fields(state)
  if id ~= '' and id ~= its_id then return { '-1', number, states.name(state), 'other call' } end
  if how == 'end' then
    calls.release(state, 'forced', reason, pool.conf.cooldown_ms)
  elseif not calls.has(state, calls.UNPAID) then
    calls.mark(state, calls.UNPAID)
    states.write(state)
  end
  return { '1', number, states.name(state), '', 'call_id', its_id, 'switch', texts.plain(switch) }
end

-- The number is in no call; it may have been deleted in one.
local function of_no_call(state)
  local name = states.name(state)
  local its_id = how == 'end' and old_calls.finish(number, id ~= '' and id or nil, 'forced', reason)
  if its_id then return { '1', number, name, 'old call', 'call_id', its_id } end
  if state then return { '-1', number, name, 'not in a call' } end
  return { '0', number, 'nodata', 'unknown number' }
end

local state = states.read(number)
local reply = state and state.is_busy and of_call(state) or of_no_call(state)
if pool.conf.special then waiting.serve() end
pool.close()
return reply
