-- How long ago what is known of a call id was written, less the clock's lag: a step ahead forgets no call that has ended.
-- In: known, now, conf. Out: age.
local age = now - sub(known, 2, 17)
if age >= 600000000 and now < (tonumber(sub(conf, 184, 199)) or 0) then age = age - sub(conf, 168, 183) end
