-- What is rarely needed, made only when it is: one closure without upvalues on the hot path.
-- sync(seq, conf) before a use, synced() after it: the machinery moves the sequence and the flags.
local function machinery(now, at)
  local call, sub, find, match = redis.call, string.sub, string.find, string.match
  local byte, fmt = string.byte, string.format
  local POOL = KEYS[1]
  local NUMSTATE = KEYS[2] or POOL .. ':numstate'
  local IDLE = KEYS[3] or POOL .. ':idle:up'
  local NEAR = KEYS[4] or POOL .. ':idle:near'
  local TIMERS = KEYS[5] or POOL .. ':timers'
  local LOG = KEYS[6] or POOL .. ':log'
  local REGS = KEYS[7] or POOL .. ':registrations'
  local BAND, REGION = 4398046511104, 1099511627776
  local OFFERS, WAITERS, CALLS, NO_SWITCH, LAST_SESSION = BAND, 2 * BAND, 1000 * BAND, 1000, 2047
  local CALLS_LAG, CONTACTS_LAG = 136, 168 -- columns of conf: what ends of calls and of registrations wait for (doubt)
  local KEPT = 600000000 -- µs that ended call ids are known
  local MAX_TIME = 9007199254740991
  local seq, conf
  local slow = { LIST_MARGIN = 10000000 } -- µs before a live list in which a call may have begun unknown to it

  function slow.sync(new_seq, new_conf) seq, conf = new_seq, new_conf end
  function slow.synced() return seq, conf end
  local function us(n) return fmt('%d', n) end
  slow.us = us

  -- A reason as we keep it: no control characters, at most 200 bytes, whole UTF-8.
  function slow.clean(text)
    text = string.gsub(sub(text or '', 1, 200), '%c', ' ')
    while #text > 0 and select(2, string.gsub(text, '[\192-\247]', '')) > 0
      and not find(text, '[\1-\127]$') and not find(text, '[\192-\223][\128-\191]$')
      and not find(text, '[\224-\239][\128-\191][\128-\191]$')
      and not find(text, '[\240-\247][\128-\191][\128-\191][\128-\191]$') do
      text = sub(text, 1, -2)
    end
    return text
  end

  -- One history entry, in the order that numbers/pool/changes.py reads. call_json: JSON fields.
  local function log(event, number, before, after, why, picked, since, ready, call_json)
    seq = seq + 1
    call('XADD', LOG, fmt('%d', seq), 'at', at, 'e', table.concat({ event, number, before, after, why or '',
      picked or '', since or '', ready or '', call_json or '' }, '\t'))
  end
  slow.log = log

  local function json(text)
    return (string.gsub(text, '[%c"\\]', function(c) return string.format('\\u%04x', string.byte(c)) end))
  end
  slow.json = json

  local function plain(text)
    return (string.gsub(text, '\\u00(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end))
  end
  slow.plain = plain

  -- Writes columns of conf back: a setting, or the flag that slow paths are needed.
  local function column(from, value)
    if #conf < 200 then conf = conf .. string.rep('0', 200 - #conf) end -- an older release wrote it
    local new = sub(conf, 1, from - 1) .. value .. sub(conf, from + #value)
    if new ~= conf then
      conf = new
      call('HSET', POOL, 'conf', conf)
    end
  end
  slow.column = column

  local function flag()
    local kept = call('HMGET', POOL, 'old', 'releasing')
    local special = call('ZCOUNT', TIMERS, BAND, '(' .. us(3 * BAND)) > 0
      or (tonumber(kept[1]) or 0) > 0 or (kept[2] and kept[2] ~= '')
    column(4, special and '1' or '0')
  end
  slow.flag = flag

  -- The parts of a state: busy, up, since, then what stands behind (nil: unreadable). A layout that
  -- another hand wrote is rewritten in ours; fields that we do not know are kept.
  local function parts(st)
    local b, u, since, props
    --@include cut_state
    if b == '1' and not find(props, ',"call":[', 1, true) then b = nil end
    return b, u, since, props
  end
  slow.parts = parts

  function slow.foreign(number, st)
    local good, object = pcall(cjson.decode, st)
    if not good or type(object) ~= 'table' then return nil end
    local b, u = tonumber(object.callstate), tonumber(object.regstate)
    if (b ~= 0 and b ~= 1) or (u ~= 0 and u ~= 1) then return nil end
    local since = call('ZSCORE', IDLE, number)
    since = since and us(since + 0) or at
    -- A call is [session, agent, call id, callee, switch, incarnation, "in" or nothing].
    local theirs = type(object.call) == 'table' and object.call or {}
    local session = tonumber(theirs[1])
    local known = { callstate = 1, regstate = 1, at = 1, call = 1, held = 1, why = 1, region = 1, day = 1, used = 1,
      last = 1, ['until'] = 1 }
    local props = ''
    for name, value in pairs(object) do
      if not known[name] and type(name) == 'string' then
        local text = type(value) == 'string' and '"' .. json(value) .. '"' or cjson.encode(value)
        props = props .. ',"' .. json(name) .. '":' .. text
      end
    end
    if b == 1 then
      local function word(i) return type(theirs[i]) == 'string' and json(theirs[i]) or '' end
      props = props .. ',"call":[' .. us(session and session > NO_SWITCH and session <= LAST_SESSION and session or NO_SWITCH)
        .. ',"' .. word(2) .. '","' .. word(3) .. '","' .. word(4) .. '","' .. word(5) .. '","' .. word(6)
        .. (theirs[7] == 'in' and '","in"]' or '"]')
    end
    return us(b), us(u), since, props
  end

  -- The call in a state: where it begins, its session, agent, call id, switch; nil when there is none.
  function slow.call_in(text)
    local cut, session, agent, id, switch = match(text, '(),"call":%[(%d+),"([^"]*)","([^"]*)","[^"]*","([^"]*)"')
    if cut then return cut, session, plain(agent), plain(id), plain(switch) end
  end

  function slow.read(number)
    local st = call('HGET', NUMSTATE, number)
    if not st then return nil end
    local b, u, since, props = parts(st)
    if not b then b, u, since, props = slow.foreign(number, st) end
    return b, u, since, props, st
  end

  -- held letters (q quarantined, u unconfirmed, x old call, o offered), why, and the properties without them
  local function holding(props)
    local held, why, rest = match(props, '^,"held":"(%a*)","why":"([^"]*)"(.*)$')
    if held then return held, why, rest end
    return '', '', props
  end
  slow.holding = holding

  local function hold(held, why, rest)
    if held == '' then return rest end
    return ',"held":"' .. held .. '","why":"' .. why .. '"' .. rest
  end
  slow.hold = hold

  local function write(number, b, u, since, props)
    call('HSET', NUMSTATE, number, '{"callstate":' .. b .. ',"regstate":' .. u .. ',"at":' .. since .. props .. '}')
  end
  slow.write = write

  local function enter(number, since, props)
    call('ZADD', IDLE, since, number)
    if sub(conf, 2, 2) ~= '1' then return end
    local region = match(props, ',"region":(%d%d%d%d)')
    if region then call('ZADD', NEAR, fmt('%d', region * REGION + math.ceil(since / 1000)), number)
    else call('ZREM', NEAR, number) end
  end
  slow.enter = enter

  local function take_out(number)
    call('ZREM', IDLE, number)
    if sub(conf, 2, 2) == '1' then call('ZREM', NEAR, number) end
  end
  slow.take_out = take_out

  -- The number of a region's band in NEAR; a new one when it is needed and there is room, else nil.
  function slow.region(name)
    local known = call('HGET', POOL, 'g:' .. name)
    if known then return known end
    local new = call('HINCRBY', POOL, 'regions', 1)
    if new > 6999 then
      call('HINCRBY', POOL, 'regions', -1)
      return nil
    end
    local region = us(1000 + new) -- four digits: states are cut by position
    call('HSET', POOL, 'g:' .. name, region, 'G:' .. region, name)
    return region
  end

  function slow.state(b, u)
    if not b then return 'nodata' end
    return (b == '1' and 'busy' or 'idle') .. (u == '1' and '+up' or '+down')
  end

  --@include machinery_calls
  --@include machinery_waiting
  --@include machinery_switches
  --@include machinery_sweep
  return slow
end
