-- What the mean of a hold learns from one that ends now: nothing over a step of the clock. In: held, hold. Out: hold.
local lasted = now - sub(held, 33, 48)
if lag == 0 and lasted >= 0 then hold = hold == 0 and lasted or hold + (lasted - hold) * 0.05 end
