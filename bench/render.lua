-- Renders for one random installation with a token. Arguments: path, key, last number of the
-- installations, the file of their reports.

dofile("bench/report.lua")
dofile("bench/installation.lua")

local head, last

function init(arguments)
  head = "POST " .. arguments[1]
    .. " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
    .. arguments[2] .. "\r\nContent-Length: "
  last = tonumber(arguments[3])
  read_reports(arguments[4])
  math.randomseed(os.time())
end

local file = assert(io.open("bench/render.json"))
local before, after = file:read("*l"):match("^(.*)INSTALLATION(.*)$")
file:close()

function request()
  local n
  repeat n = math.random(1, last) until has_token(n)
  local text = before .. seeded_id(n) .. after
  return head .. #text .. "\r\n\r\n" .. text
end
