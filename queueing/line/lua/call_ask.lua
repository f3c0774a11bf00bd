--[[ line/call_ask
Purpose: An agent wants to call the visitor of a room back. The intent is stored before a number is claimed.
KEYS as line/show
ARGV[1] agent          its id
ARGV[2] visit          in a room of the agent
ARGV[3] callee         + and digits
ARGV[4] pool           slug of the pool that gives the number
ARGV[5] after_ms       when the sweep checks it without a confirmation
Reply: [answer, seq, visit, state i c e, operation, agent, pool, number or "-", callee, 1 = the agent still has the
  room]; answer: ok, repeat (there is one already); or not_yours, busy (the one before ends)
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n)
Version: 1
]]
local SHORTEST_CALLEE, LONGEST_CALLEE, LONGEST_POOL = 3, 33, 40
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent, id, callee, pool = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
local after_ms = calls.look_after(ARGV[5], calls.LONGEST_LOOK_MS)
if not string.find(callee, calls.NUMBER) or #callee < SHORTEST_CALLEE or #callee > LONGEST_CALLEE then
  return { 'malformed callee' }
end
if not string.find(pool, '^[a-z0-9-]+$') or #pool > LONGEST_POOL then return { 'malformed pool' } end
if not after_ms then return { 'malformed after' } end
local known = calls.read(id)
if known then
  if known.agent ~= agent then return desk.answer('not_yours') end
  if known.state == 'ending' then return desk.answer('busy') end
  return calls.reply('repeat', known)
end
local visit = visits.read(id)
if not visit or visit.state ~= 'room' or visit.agent ~= agent then return desk.answer('not_yours') end

local back = { visit = id, state = 'asked', operation = id .. '.' .. desk.at, agent = agent, pool = pool, number = '-',
  callee = callee }
calls.write(back, after_ms)
redis.call('HINCRBY', desk.tag, 'calls', 1)
desk.log('call', 'v', id, 'a', agent, 'q', visit.queue, 'w', back.operation)
desk.close()
return calls.reply('ok', back)
