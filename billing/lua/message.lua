--[[ billing/message
Purpose: Reads the current states of up to 1,000 messages. An expired hold has ended, whether swept or not.
KEYS as billing/hold
ARGV[1+] ids             message ids
Reply: [1], then for each its record or ""
Errors: -1 "no such wallet", "script outdated …", "malformed batch"
Complexity: O(ids)
Full server: runs
Version: 1
]]
local MOST = 1000
if #ARGV == 0 or #ARGV > MOST then return checks.refusal('malformed batch') end
local refusal = wallet.view(KEYS[1])
if refusal then return refusal end

messages.read(ARGV)
local reply = { '1' }
for place = 1, #ARGV do
  local message = endings.seen(wallet.known[ARGV[place]])
  reply[place + 1] = message and messages.record(message) or ''
end
return reply
