--[[ numbers/quarantine
Purpose: Excludes numbers from picking, with a reason, or allows them again. Running calls continue.
KEYS as numbers/event
ARGV[1] on                 1 quarantine, 0 release
ARGV[2] reason             for the history and the number, up to 200 bytes
ARGV[3+] numbers            1 to 1 000 numbers
Reply: for each number [outcome, number, state, reason]; reason "repeat" = it was so already
Errors: -1 "no such pool", "script outdated …", "malformed …"; 0 "unknown number"
Complexity: O(numbers × log n)
Version: 1
]]
local NUMBERS, MOST = 3, 1002 -- where the numbers begin, and how many arguments there may be
local on = ARGV[1] or ''
if not is_flag(on) or #ARGV < NUMBERS or #ARGV > MOST then return pool.refusal('malformed quarantine') end
local refusal = pool.open(KEYS[1])
if refusal then return refusal end
local reason, reply = texts.reason(ARGV[2]), {}
for place = NUMBERS, #ARGV do
  local number, count = ARGV[place], #reply
  local state = states.read(number)
  local outcome, name, said = '0', 'nodata', 'unknown number'
  if state then
    outcome, name = '1', states.name(state)
    said = quarantining.put(state, on == '1', reason) and '' or 'repeat'
  end
  reply[count + 1], reply[count + 2], reply[count + 3], reply[count + 4] = outcome, number, name, said
end
if pool.conf.special then waiting.serve() end
pool.close()
return reply
