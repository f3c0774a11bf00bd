--[[ billing/cancel
Purpose: Cancels up to 32 messages that are held but not sent. All their money is returned.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
KEYS[6] {acct}:unpaid     ZSET    as billing/session
ARGV[1+] ids              message ids
Reply: as billing/hold
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed id"
Complexity: O(ids × log n)
Full server: runs
Version: 1
]]
local malformed = checks.malformed_ids(ARGV)
if malformed then return checks.refusal(malformed) end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end

-- The answer about a message, and its flag.
local function cancel(message)
  local state = message and message.state
  if not message then return 'unknown', 'unknown' end
  if state == 'held' or state == 'unpaid' then
    holds.cancel(message)
    return 'cancelled', ''
  elseif state == 'cancelled' then
    return 'repeat', 'repeat'
  elseif state == 'parked' then
    flags.list(message, 'contradiction', 'cancel')
    return 'contradiction', 'contradiction'
  end
  return 'too late', 'too late'
end

messages.read(ARGV)
local reply = replies.new()
for place = 1, #ARGV do
  local message = endings.current(ARGV[place])
  local answer, flag = cancel(message)
  replies.add(reply, answer, message, flag)
end
return replies.close(reply)
