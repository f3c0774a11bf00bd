--[[ billing/sent
Purpose: Marks up to 32 held messages as sent, just before they are passed to the gateway.
KEYS as billing/hold
ARGV[1+] ids              message ids
Reply: as billing/hold
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed id"
Complexity: O(ids × log n)
Version: 1
]]
local malformed = checks.malformed_ids(ARGV)
if malformed then return checks.refusal(malformed) end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end

-- The answer about a message, and its flag.
local function send(message)
  local state = message and message.state
  if not message or state == 'parked' then return 'unknown', 'unknown' end
  if state == 'held' then
    holds.mark_sent(message)
    return 'sent', ''
  elseif reports.NOT_SENT[state] then
    return 'refused', 'refused'
  end
  return 'repeat', 'repeat'
end

messages.read(ARGV)
local reply = replies.new()
for place = 1, #ARGV do
  local message = endings.current(ARGV[place])
  local answer, flag = send(message)
  replies.add(reply, answer, message, flag)
end
return replies.close(reply)
