-- Names of keys and of what is often called; locals are cheaper than looking them up each time.
local call, sub, find, match = redis.call, string.sub, string.find, string.match
local byte, fmt = string.byte, string.format
local POOL = KEYS[1]
local NUMSTATE = KEYS[2] or POOL .. ':numstate'
local IDLE = KEYS[3] or POOL .. ':idle:up'
local NEAR = KEYS[4] or POOL .. ':idle:near'
local TIMERS = KEYS[5] or POOL .. ':timers'
local LOG = KEYS[6] or POOL .. ':log'
local BAND = 4398046511104 -- 2^42 ms: each band of TIMERS holds times up to the year 2109
local REGION = 1099511627776 -- 2^40 ms: each region's band of NEAR, from 2020 to 2054
