--[[ numbers/events
Purpose: Decides up to 32 events of one pool in order, each as numbers/event would.
KEYS as numbers/event
ARGV[1+] words                for each event: how many words follow, then those of numbers/event; or the event as a line
Reply: for each event: how many words follow, then those of numbers/event
Errors: -1 "malformed batch" (as numbers/event, before anything is done); wait_ms is malformed here
Complexity: O(events × log n)
Full server: runs what gives back
Version: 1
]]
local MOST = 32
-- Where the words of each event begin and end.
local firsts, lasts, argument = {}, {}, 1
while argument <= #ARGV do
  local is_line = string.find(ARGV[argument], '\t', 1, true)
  local words = is_line and 0 or whole(ARGV[argument], 1, #ARGV - argument)
  local count = #firsts
  if not words or count >= MOST then return pool.refusal('malformed batch') end
  firsts[count + 1], lasts[count + 1] = is_line and argument or argument + 1, argument + words
  argument = argument + words + 1
end
if not IS_FUNCTION and #firsts > 0 then
  event.read(ARGV, firsts[1], lasts[1], true)
  event.delete_first(KEYS[1])
end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
if not CALLED_BY_US and not KEYS[2] then
  local lacking = rights.lacking()
  if lacking then return lacking end
end
if pool.conf.looks_us <= pool.now then upkeep.keep_up() end
local reply, count = {}, 0
for place = 1, #firsts do
  event.read(ARGV, firsts[place], lasts[place], true)
  local answer = machine.decide(switches.read(event.switch)) -- the event before may have begun its new life
  local words = #answer
  reply[count + 1] = string.format('%d', words)
  for word = 1, words do reply[count + 1 + word] = answer[word] end
  count = count + 1 + words
end
pool.close()
return reply
