--[[ line/call_keep
Purpose: A callback has its number, or keeps it for longer. It is over when the room no longer belongs to the agent.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] operation      of the call
ARGV[3] number         that was claimed, or "" for the same one
ARGV[4] after_ms       when the sweep checks it next
Reply: [answer, seq, visit, state i c e, operation, agent, pool, number or "-", callee, 1 = the agent still has the
  room]; answer: ok; or over (ends, or another one: give the number back)
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local number, after_ms = ARGV[3] or '', calls.look_after(ARGV[4], calls.LONGEST_TIME_MS)
if number ~= '' and not string.find(number, calls.NUMBER) then return { 'malformed number' } end
if not after_ms then return { 'malformed after' } end
local back = calls.read(ARGV[1] or '')
if not back or back.operation ~= ARGV[2] or back.state == 'ending' then return desk.answer('over') end
local visit = visits.read(back.visit)
if not visit or visit.state ~= 'room' or visit.agent ~= back.agent then return desk.answer('over') end

if number ~= '' and back.state == 'asked' then
  back.state, back.number = 'running', number
  desk.log('called', 'v', back.visit, 'a', back.agent, 'q', visit.queue, 'w', back.operation)
  desk.tell('call', '-', back.agent)
end
calls.write(back, after_ms)
desk.close()
return calls.reply('ok', back)
