-- The prices that are kept with a message: ",mode=price" for each mode of the quote, ";mode=price" for each other mode
-- of the same tariff. What cannot be priced costs the quote. Units are text here, as they are kept.
local tariff = {}

-- sign: a comma or a semicolon; nil = it does not name the mode.
function tariff.find(message, sign, mode)
  local _, last = string.find(message.prices, sign .. mode .. '=', 1, true)
  return last and (string.match(message.prices, '^%d+', last + 1) or message.quoted)
end

-- Units that a mode costs; nil = it is neither in the quote nor outside it.
function tariff.price(message, mode)
  return tariff.find(message, ',', mode) or tariff.find(message, ';', mode)
end

-- Units to charge for a delivery, at most the quote. For a mode outside the quote also the rest: our loss.
function tariff.charge(message, mode)
  local price = tariff.find(message, ',', mode)
  if price then return tariff.at_most(message.quoted, price) end
  local full = tariff.find(message, ';', mode) or message.quoted
  price = tariff.at_most(message.quoted, full)
  return price, string.format('%d', full - price)
end

function tariff.at_most(quoted, price)
  return price + 0 > quoted + 0 and quoted or price
end
