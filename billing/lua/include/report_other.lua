-- A report that moves no money. In: id, word, st, letter (nil: no message). Out: st, answer, flag.
answer, flag = 'noted', ''
local reported = word == 'f' and 'failed' or word == 'i' and 'interim' or word == 'u' and '?' or sub(word, 2)
local listed = false
if not st then
  if word == 'i' or word == 'u' then
    answer, flag = 'unknown', 'unknown'
  else
    -- In safe mode the message may only not be loaded yet: its report is to be sent again.
    if sub(conf, 1, 1) == 'r' or call('ZCARD', PARKED) >= sub(conf, 56, 61) + 0 then
      answer = 'parked full'
    else
      answer, flag = 'parked', 'early'
      seq = seq + 1
      call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'parked\t' .. id .. '\t0\t0\tp\tm\t0\t\t\t\t\t0\t\t' .. reported)
      st = 'pm00000' .. at .. '0|' .. word .. '|\t\t|'
      states[id] = st
      sets[#sets + 1], sets[#sets + 2] = id, st
      call('ZADD', PARKED, fmt('%d', now + sub(conf, 42, 48) * 1000000), id)
    end
  end
elseif word == 'u' then
  if letter == 'h' then
    --@include mark_sent
  end
  answer, flag, listed = 'unreadable', 'unreadable', true
elseif word == 'i' then
  if letter == 'h' then
    --@include mark_sent
    answer = 'sent'
  elseif letter == 'c' or letter == 'u' then answer, flag, listed = 'contradiction', 'contradiction', true end
elseif letter == 'e' then answer, flag, listed = 'late', 'late', true
else
  -- parked, settled, failed: the same again, or a contradiction; cancelled, unpaid: always one.
  local had = letter == 'p' and match(st, '^0|([^|!]*)', 24)
    or letter == 't' and 'd' .. match(st, '^%d+|([^|!=]*)', 24) or letter == 'f' and 'f'
  if had == word then answer, flag = 'repeat', 'repeat'
  else answer, flag, listed = 'contradiction', 'contradiction', true end
end
if listed then
  --@include flag
end
