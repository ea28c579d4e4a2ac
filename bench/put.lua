-- Registrations. Arguments: changed (half are new), rotated (none is) or unchanged; path, key,
-- first and last number of the seeded installations to report, and the file of their reports.

dofile("bench/report.lua")
dofile("bench/installation.lua")

local mode, path, head, first, count
local counter = 0
local serial

function init(arguments)
  mode = arguments[1]
  path = arguments[2]
  head = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
    .. arguments[3] .. "\r\nContent-Length: "
  first = tonumber(arguments[4])
  count = tonumber(arguments[5]) - first + 1
  read_reports(arguments[6])
  -- 47 bits, other ones in every run.
  serial = (os.time() % 1048576) * 134217728
  math.randomseed(os.time())
end

local function put(id, body)
  return "PUT " .. path .. id .. head .. #body .. "\r\n\r\n" .. body
end

function request()
  counter = counter + 1
  -- A stride through all of them: no two requests under way are for the same one.
  local n = first + (counter * 7919) % count
  if mode == "unchanged" then
    return put(seeded_id(n), report_body(n, seeded_token(n), "3.2.0"))
  end
  serial = serial + 1
  local scatter = math.random(0, 4294967295)
  local token = spelled_token(scatter, serial)
  if mode == "changed" and counter % 2 == 0 then
    return put(spelled_id(scatter, serial), report_body(serial, token, "3.2.0"))
  end
  return put(seeded_id(n), report_body(n, token, "3.2." .. counter))
end
