-- The ticket lies in the future: of a clock that was ahead, or this one is behind. Sweeps that go on by this one believe
-- it: then the wait counts from now. In: now. Out: joined.
local told = call('HMGET', DESK, 'walked', 'steady')
if math.abs(now_ms - (told[1] or 0)) < 5000 and (told[2] or 0) + 5000 <= now_ms then joined = int(now) end
