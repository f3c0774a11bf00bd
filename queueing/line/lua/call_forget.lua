--[[ line/call_forget
Purpose: A callback is over and its number released. The desk deletes its record.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] operation      of the call
ARGV[3] reason         a word: over, or why it came to nothing
Reply: [answer, seq]; answer: ok, repeat (there is none)
Errors: "no such desk", "script outdated …"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local back = calls.read(ARGV[1] or '')
if not back or back.operation ~= ARGV[2] then return desk.answer('repeat') end
redis.call('HDEL', desk.tag, 'call:' .. back.visit)
redis.call('ZREM', desk.tag .. ':calls', back.visit)
redis.call('HINCRBY', desk.tag, 'calls', -1)
desk.log('call_end', 'v', back.visit, 'a', back.agent, 'w', words.one_or(ARGV[3], 'over'), 'o', back.operation)
desk.tell('call', '-', back.agent)
desk.close()
return desk.answer('ok')
