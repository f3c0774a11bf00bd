-- The prices that are kept with a message: ",mode=price" for each mode of the quote, ";mode=price" for each other mode
-- of the same tariff. What cannot be priced costs the quote.
local tariff = {}

-- sign: a comma or a semicolon; nil = it does not name the mode.
function tariff.find(message, sign, mode)
  local _, last = string.find(message.prices, sign .. mode .. '=', 1, true)
  return last and (tonumber(string.match(message.prices, '^%d+', last + 1)) or message.quoted + 0)
end

-- Units that a mode costs; nil = it is neither in the quote nor outside it.
function tariff.price(message, mode)
  return tariff.find(message, ',', mode) or tariff.find(message, ';', mode)
end

-- Units to charge for a delivery, at most the quote. For a mode outside the quote also the rest: our loss.
function tariff.charge(message, mode)
  local most = message.quoted + 0
  local price = tariff.find(message, ',', mode)
  if price then return math.min(price, most) end
  local full = tariff.find(message, ';', mode) or most
  price = math.min(full, most)
  return price, full - price
end
