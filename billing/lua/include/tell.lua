-- The five words of the reply for one message. In: st (false: none), answer, flag.
letter = st and sub(st, 1, 1) or ''
if letter == '' or letter == 'p' then
  charged, quoted = '0', '0'
else
  local outcome
  quoted, outcome = match(st, '^(%d+)|([^|]*)', 24)
  charged = (letter == 'h' or letter == 's') and quoted or match(outcome, '^[^!]*=(%d+)') or '0'
end
reply[place + 1], reply[place + 2], reply[place + 3] = answer, letter, charged
reply[place + 4], reply[place + 5] = quoted, flag
place = place + 5
