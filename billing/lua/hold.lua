--[[ billing/hold
Purpose: Holds the quoted price of up to 32 messages, each by itself, in their order. The message id is
  the operation id: the same id and body is the same hold. A parked report settles its hold at once.
  Before one is refused for want of money, open holds that are past their time end.
KEYS[1] {acct}            HASH    settings, figures, sequence
KEYS[2] {acct}:messages   HASH    message id → state
KEYS[3] {acct}:deadlines  ZSET    open holds by the µs after which they end
KEYS[4] {acct}:log        STREAM  change entries
KEYS[5] {acct}:parked     ZSET    parked reports by the µs after which they are orphans
ARGV[1+] holds            for each: id; h or s (sent) and the kind m or c; quoted; "hash TAB tariff TAB
  chatbot"; prices ",mode=price" of the quote and ";mode=price" outside it
Reply: [1, bal, seq], then for each: answer, state's letter, charged, quoted, flag
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed hold"
Complexity: O(holds × log n); where money is short, up to 500 holds that are due besides
Version: 1
]]
--@include open
local PARKED = KEYS[5] or ACCT .. ':parked'
local count = #ARGV
if count == 0 or count % 5 ~= 0 or count > 160 then return { '-1', 'malformed batch' } end
local ids = {}
for i = 1, count, 5 do
  local id, how, quoted = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if id == '' or #id > 80 or find(id, '[^!-~]') or (how ~= 'hm' and how ~= 'sm' and how ~= 'hc' and how ~= 'sc')
    or #quoted > 16 or find(quoted, '%D') or quoted == '' or quoted + 0 >= 9007199254740992
    or #ARGV[i + 3] > 120 or not find(ARGV[i + 3], '^[^\t|]*\t%d*\t[^\t|]*$')
    or #ARGV[i + 4] > 600 or find(ARGV[i + 4], '|', 1, true) or find(ARGV[i + 4], '\t', 1, true) then
    return { '-1', 'malformed hold' }
  end
  ids[#ids + 1] = id
end
--@include read_states
local reply, place, looked = { '1', '', '' }, 3, false
for i = 1, count, 5 do
  local id, how, quoted, facts, prices = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local st = states[id]
  local answer, letter, charged, flag = nil, '', '0', ''
  if st then
    --@include by_time
  end
  local parked = st and sub(st, 1, 1) == 'p'
  if st and not parked then
    letter = sub(st, 1, 1)
    local first, outcome, known = match(st, '^(%d+)|([^|]*)|([^\t]*)\t', 24)
    if known ~= match(facts, '^[^\t]*') then
      answer, flag = 'conflict', 'conflict'
    else
      answer, flag = 'repeat', 'repeat'
    end
    quoted = first
    charged = (letter == 'h' or letter == 's') and first or match(outcome, '^[^!]*=(%d+)') or '0'
  else
    local amount = quoted + 0
    local status, limit = sub(conf, 1, 1), sub(conf, 2, 17) + 0
    if not looked and status == 'o' and (amount > bal or limit > 0 and spent + amount > limit) then
      -- Held money may be what is missing: what is past its time comes back first, a bounded piece of it.
      local most = 500
      looked = true
      --@include end_due
    end
    if status ~= 'o' then
      answer = status == 'f' and 'frozen' or status == 'c' and 'closed' or 'safe mode'
    elseif seq - acct[9] >= sub(conf, 18, 27) + 0 then
      answer = 'backlog full'
    elseif amount > bal then
      answer, flag = 'insufficient balance', 'refused'
    elseif limit > 0 and spent + amount > limit then
      answer = 'daily limit'
    end
    if answer then
      if parked then
        letter, quoted = 'p', '0'
        local word = match(st, '|([fd][^|!]*)', 24)
        if flag == 'refused' and word ~= 'f' then
          -- Delivered, and nobody pays: listed, priced by this quote.
          local reported = sub(word, 2)
          flag = 'unpaid'
          local _, last = find(prices, '[,;]' .. reported .. '=')
          local worth = last and match(prices, '^%d+', last + 1) + 0 or amount
          if not find(st, '!unpai:', 24, true) then
            seq = seq + 1
            call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'flag\t' .. id .. '\t0\t0\tp\t' .. sub(how, 2)
              .. '\t0\t' .. facts .. '\t\t0\tunpaid\t' .. reported .. '\t' .. fmt('%d', worth))
            st = match(st, '^[^|]*|[^|]*') .. '!unpai:' .. reported .. match(st, '^[^|]*|[^|]*(.*)$')
            states[id] = st
            sets[#sets + 1], sets[#sets + 2] = id, st
          end
        end
      end
    else
      letter = sub(how, 1, 1)
      bal, held, spent = bal - amount, held + amount, spent + amount
      seq = seq + 1
      local day = sub(conf, 72, 76)
      call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'hold\t' .. id .. '\t-' .. quoted .. '\t' .. quoted .. '\t'
        .. letter .. '\t' .. sub(how, 2) .. '\t' .. quoted .. '\t' .. facts .. '\t\t0\t\t\t0\t0\t' .. prices)
      if parked then
        local word, kind, made_on, outcome = match(st, '|([fd][^|!]*)', 24), sub(how, 2), day, ''
        --@include settle
        call('ZREM', PARKED, id)
        answer = letter == 't' and 'settled' or 'failed'
      else
        answer, charged = 'held', quoted
        st = how .. day .. at .. quoted .. '||' .. facts .. '|' .. prices
        local limit = letter == 's' and sub(conf, 42, 48) or how == 'hc' and sub(conf, 35, 41) or sub(conf, 28, 34)
        due[#due + 1], due[#due + 2] = fmt('%d', now + limit * 1000000), id
      end
      states[id] = st
      sets[#sets + 1], sets[#sets + 2] = id, st
    end
  end
  reply[place + 1], reply[place + 2], reply[place + 3] = answer, letter, charged
  reply[place + 4], reply[place + 5] = quoted, flag
  place = place + 5
end
--@include write_states
--@include close
reply[2], reply[3] = fmt('%d', bal), fmt('%d', seq)
return reply
