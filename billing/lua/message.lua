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
--@include look
if #ARGV == 0 or #ARGV > 1000 then return { '-1', 'malformed batch' } end
local found = redis.call('HMGET', KEYS[2] or KEYS[1] .. ':messages', unpack(ARGV))
local reply = { '1' }
for i = 1, #ARGV do reply[i + 1] = found[i] or '' end
return reply
