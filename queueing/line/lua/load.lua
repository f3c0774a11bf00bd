--[[ line/load
Purpose: Put running visits back after a loss: each waits, or is in a room of an agent who is online again.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters
KEYS[2] {line.desk}:queues    HASH    queue → settings
KEYS[3] {line.desk}:visits    HASH    visit → state
KEYS[4] {line.desk}:agents    HASH    agent → state
KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order
KEYS[6] {line.desk}:ready     ZSET    those of them who can be matched
KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue
KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms
KEYS[9] {line.desk}:log       STREAM  one entry per change
KEYS[10] {line.desk}:calls    ZSET    visits with a call back, by the ms at which it is looked at
ARGV[1+] visit          six words each: visit, queue, class, arrival µs, agent or "-", skills or ""
Reply: [answer, seq, how many]
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(visits × log n)
Version: 1
]]
--@include open
--@include records
--@include needs
--@include matching
--@include moves

if #ARGV % 6 ~= 0 or #ARGV > 6000 then return { 'malformed visits' } end
local put = 0
for i = 1, #ARGV, 6 do
  local id, queue, class, arrived, agent, skills = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local q = queue_of(queue)
  if q and find(class, '^[1-9]$') and find(arrived, '^%d+$') and not call('HGET', VISITS, id) then
    local need = need_of(skills) or '0'
    local v = { id = id, state = 'w', queue = queue, class = class, ticket = arrived, joined = int(math.min(arrived, now)), need = need,
      agent = '-', since = int(now_ms), token = '-', word = '-' }
    local a = agent ~= '-' and agent_of(agent)
    if a and a.capacity > a.used then
      if a.state == 'x' then
        a.state, a.login, a.since = 'o', int(now_ms), int(now_ms)
        online(a, 1)
        beats('a' .. a.id, a.ttl)
        log('login', 'a', a.id, 'w', 'recovered')
      end
      v.state, v.agent = 'r', agent
      add_slot(a, 'r' .. id)
      keep_agent(a)
    end
    local d = delta(v)
    keep_visit(v)
    beat_visit(v, q)
    if v.state == 'w' and q.longest > 0 then call('ZADD', TIMERS, int(math.max(now_ms, v.joined / 1000 + q.longest)), 'm' .. id) end
    log('loaded', 'v', id, 'a', v.agent, 'q', queue, 'c', class, 't', arrived, 'd', d)
    if arrived + 0 > last_ticket + 0 then last_ticket = arrived end
    put = put + 1
  end
end
--@include close
redis.pcall('PUBLISH', 'timers:new', DESK)
return { 'ok', int(seq), int(put) }
