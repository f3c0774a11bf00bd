--[[ billing/hold
Purpose: Holds the quoted price of up to 32 messages, in order and independently. The message ID is the operation ID:
  the same ID and body is the same hold. A parked report settles its hold at once. Before a hold is refused for lack of
  money, expired holds are ended.
KEYS[1] {acct}            HASH    settings, figures, sequence
KEYS[2] {acct}:messages   HASH    message id → state
KEYS[3] {acct}:deadlines  ZSET    open holds by the µs after which they end
KEYS[4] {acct}:log        STREAM  change entries
KEYS[5] {acct}:parked     ZSET    parked reports by the µs after which they are orphans
ARGV[1+] holds            for each: id; h or s (sent) and the kind m or c; quoted; "hash TAB tariff TAB
  chatbot"; prices ",mode=price" of the quote and ";mode=price" outside it
Reply: [1, bal, seq, credit], then for each: answer, state's letter, charged, quoted, flag
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed hold"
Complexity: O(holds × log n); where money is short, up to 500 holds that are due besides
Version: 1
]]
local WORDS, FACTS_BYTES, PRICES_BYTES = 5, 120, 600

-- The message that is asked for by the words from ARGV[first] on; nil when they are malformed.
local function parse(first)
  local id, how, quoted, facts, prices = unpack(ARGV, first, first + WORDS - 1)
  local state = holds.STATE[how]
  local is_right = state and checks.is_id(id) and checks.is_units(quoted) and #facts <= FACTS_BYTES
    and checks.is_facts(facts) and #prices <= PRICES_BYTES and checks.are_prices(prices)
  return is_right and {
    id = id,
    state = state,
    kind = holds.KIND[how],
    day = '',
    since = '',
    quoted = quoted,
    outcome = '',
    listed = '',
    facts = facts,
    prices = prices,
  }
end

local asked, ids = {}, {}
if #ARGV == 0 or #ARGV % WORDS ~= 0 or #ARGV > checks.MOST_MESSAGES * WORDS then
  return checks.refusal('malformed batch')
end
for first = 1, #ARGV, WORDS do
  local message = parse(first)
  if not message then return checks.refusal('malformed hold') end
  asked[#asked + 1], ids[#ids + 1] = message, message.id
end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end

messages.read(ids)
local reply = replies.new()
for place = 1, #asked do
  local message = asked[place]
  message.day, message.since = wallet.conf.day, wallet.at
  replies.add(reply, holds.take(message))
end
return replies.close(reply)
