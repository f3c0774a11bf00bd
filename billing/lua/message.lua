--[[ billing/message
Purpose: The stored states of up to 1 000 messages.
KEYS[1] {acct}           HASH  as billing/hold
KEYS[2] {acct}:messages  HASH  as billing/hold
ARGV[1+] ids             message ids
Reply: [1], then for each its state or ""
Errors: -1 "no such wallet", "script outdated …", "malformed batch"
Complexity: O(ids)
Version: 1
]]
local MOST = 1000
if #ARGV == 0 or #ARGV > MOST then return checks.refusal('malformed batch') end
local refusal = wallet.look(KEYS[1])
if refusal then return refusal end

local records = redis.call('HMGET', wallet.tag .. ':messages', unpack(ARGV))
local reply = { '1' }
for place = 1, #ARGV do reply[place + 1] = records[place] or '' end
return reply
