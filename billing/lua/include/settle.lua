-- A final report meets an open hold. In: id, word ('f' failed, 'd<mode>' delivered), kind, made_on
-- (the day of the hold), quoted, outcome, facts, prices. Out: letter, charged, flag; st; money, entry.
local mode, price, back, more = '', 0, quoted + 0, ''
letter, flag = 'f', ''
if word ~= 'f' then
  mode, letter = sub(word, 2), 't'
  local _, last = find(prices, ',' .. mode .. '=', 1, true)
  if last then
    price = tonumber(match(prices, '^%d+', last + 1)) or back
    if price > back then price = back end
  else
    -- Outside the quote: its price by the same tariff, at most the quote; the rest is our loss.
    flag = 'unexpected mode'
    _, last = find(prices, ';' .. mode .. '=', 1, true)
    local full = last and tonumber(match(prices, '^%d+', last + 1)) or back
    price = full < back and full or back
    more = '\t' .. flag .. '\t' .. mode .. '\t' .. fmt('%d', full - price)
  end
  back = back - price
end
bal, held = bal + back, held - quoted
if made_on == sub(conf, 72, 76) then spent = spent - back end
seq = seq + 1
charged = fmt('%d', price)
call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', (letter == 't' and 'settle' or 'fail') .. '\t' .. id .. '\t'
  .. fmt('%d', back) .. '\t-' .. quoted .. '\t' .. letter .. '\t' .. kind .. '\t' .. quoted .. '\t' .. facts .. '\t'
  .. mode .. '\t' .. charged .. more)
st = letter .. kind .. made_on .. at .. quoted .. '|' .. (letter == 't' and mode .. '=' .. charged or '') .. outcome
  .. '|' .. facts .. '|' .. prices
