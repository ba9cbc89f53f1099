-- Requests of the backend's benchmarks for wrk: arguments are the kind of request, a file with tokens and one with ids and
-- versions of entries; for the kind "path", one with paths.
local tokens, ids, kind, number = {}, {}, "live", 0

local function lines(path)
    local found = {}
    for line in io.lines(path) do found[#found + 1] = line end
    return found
end

local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("offset", threads * 1000003)
end

function init(arguments)
    kind, tokens, ids = arguments[1], lines(arguments[2]), lines(arguments[3])
    number = offset
    math.randomseed(offset + os.time())
end

function request()
    if kind == "live" then return wrk.format("GET", "/health/live") end
    number = number + 1
    local headers = { Authorization = "Bearer " .. tokens[number % #tokens + 1] }
    if kind == "path" then return wrk.format("GET", ids[math.random(#ids)], headers) end
    if kind == "list" then return wrk.format("GET", "/v1/journal/entries?limit=20", headers) end
    if kind == "create" then
        headers["Content-Type"] = "application/json"
        headers["Idempotency-Key"] = string.format('"%08x-%d-%d"', math.random(0, 0x7fffffff), os.time(), number)
        return wrk.format("POST", "/v1/journal/entries", headers,
            '{"text":"disk of node 3 is 91 % full","host":"node3","severity":"warning"}')
    end
    local id, version = ids[math.random(#ids)]:match("(%S+) (%S+)")
    if kind == "unchanged" then headers["If-None-Match"] = '"' .. version .. '"' end
    return wrk.format("GET", "/v1/journal/entries/" .. id, headers)
end
