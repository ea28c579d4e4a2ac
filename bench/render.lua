-- Renders for one random installation with a token. Arguments: path, key, last number of the
-- installations, the file of their reports; "user", if its user is named and not itself.

dofile("bench/report.lua")
dofile("bench/installation.lua")

local head, last, is_for_user

local file = assert(io.open("bench/render.json"))
local before, after = file:read("*l"):match('^(.*)"installation":"INSTALLATION"(.*)$')
file:close()

function init(arguments)
  head = "POST " .. arguments[1]
    .. " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
    .. arguments[2] .. "\r\nContent-Length: "
  last = tonumber(arguments[3])
  read_reports(arguments[4])
  is_for_user = arguments[5] == "user"
  math.randomseed(os.time())
end

function request()
  local n
  repeat n = math.random(1, last) until has_token(n)
  local to = is_for_user and string.format('"user":"u%08d"', n)
    or '"installation":"' .. seeded_id(n) .. '"'
  local text = before .. to .. after
  return head .. #text .. "\r\n\r\n" .. text
end
