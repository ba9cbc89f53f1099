-- Requests of Scripts/bench arena for wrk, whose argument is the profile. Each connection takes the next request of the mix, as
-- HttpArena's own load generator does after a few requests on one connection.
local threads, number, mix = 0, 0, {}

function setup(thread)
    thread:set("place", threads)
    threads = threads + 1
end

local function gets(paths)
    local found = {}
    for place, path in ipairs(paths) do
        local text = wrk.format("GET", path)
        found[place] = function() return text end
    end
    return found
end

local function write(method, path, body)
    return wrk.format(method, path, { ["Content-Type"] = "application/json" }, body)
end

local function crud()
    local function read() return wrk.format("GET", "/crud/items/" .. math.random(50000)) end
    local function list() return wrk.format("GET", "/crud/items?category=office&page=" .. math.random(10) .. "&limit=10") end
    local function update()
        return write("PUT", "/crud/items/" .. math.random(50000), '{"name":"Updated Product","price":200,"quantity":25}')
    end
    -- Two threads share the ids from 100,001.
    local created = 0
    local function create()
        created = created + 1
        return write("POST", "/crud/items", string.format(
            '{"id":%d,"name":"New Product","category":"test","price":150,"quantity":30}', 100000 + 2 * created - place))
    end
    -- 75 % reads, 15 % updates, 5 % lists, 5 % creations.
    return {
        read, read, read, update, read, read, read, list, read, read, update, read, read, read, create, read, read, update, read, read,
    }
end

function init(arguments)
    math.randomseed(place + os.time())
    local profile = arguments[1]
    if profile == "json" then
        mix = gets({ "/json/1?m=3", "/json/5?m=7", "/json/10?m=2", "/json/15?m=5", "/json/25?m=4", "/json/40?m=8", "/json/50?m=6" })
    elseif profile == "api-4" then
        local sum, items, rows = "/baseline11?a=13&b=42", "/json/50?m=1", "/async-db?min=10&max=50&limit=50"
        mix = gets({ sum, items, rows, sum, items, sum, items, rows })
    else
        mix = crud()
    end
end

function request()
    number = number % #mix + 1
    return mix[number]()
end
