-- Renders for one random installation. Arguments: path, key, last number of the installations.

dofile("bench/report.lua")
dofile("bench/installation.lua")

local head, last

function init(arguments)
  head = "POST " .. arguments[1]
    .. " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
    .. arguments[2] .. "\r\nContent-Length: "
  last = tonumber(arguments[3])
  math.randomseed(os.time())
end

local file = assert(io.open("bench/render.json"))
local before, after = file:read("*l"):match("^(.*)INSTALLATION(.*)$")
file:close()

function request()
  local text = before .. seeded_id(math.random(1, last)) .. after
  return head .. #text .. "\r\n\r\n" .. text
end
