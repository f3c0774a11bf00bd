--[[ line/call_end
Purpose: A callback ends. Its number must be released, then line/call_forget called.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] agent          whose call it must be, or "" = anybody's
ARGV[3] operation      of the call, or "" = whichever
ARGV[4] after_ms       when the sweep checks it without a next step
Reply: [answer, seq, visit, state i c e, operation, agent, pool, number or "-", callee, 1 = the agent still has the
  room]; answer: ok; or repeat (there is none), not_yours
Errors: "no such desk", "script outdated …", "malformed after"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent, operation = ARGV[2] or '', ARGV[3] or ''
local after_ms = calls.look_after(ARGV[4], calls.LONGEST_LOOK_MS)
if not after_ms then return { 'malformed after' } end
local back = calls.read(ARGV[1] or '')
if not back or (operation ~= '' and back.operation ~= operation) then return desk.answer('repeat') end
if agent ~= '' and back.agent ~= agent then return desk.answer('not_yours') end

if back.state ~= 'ending' then
  back.state = 'ending'
  desk.log('call_over', 'v', back.visit, 'a', back.agent, 'w', back.operation)
end
calls.write(back, after_ms)
desk.close()
return calls.reply('ok', back)
