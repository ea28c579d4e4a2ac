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

local body = '{"message":{"alert":{"title":{"key":"FOOD_ORDERED"},'
  .. '"body":{"key":"FOOD_READY_FOR","args":["name","order"]}},"catalog":"server",'
  .. '"parameters":{"name":{"type":"string"},"order":{"type":"string"}},"sound":"default"},'
  .. '"arguments":{"name":"Ana","order":"A17"},"localization":"server",'
  .. '"to":{"installation":"%s"}}'

function request()
  local text = string.format(body, seeded_id(math.random(1, last)))
  return head .. #text .. "\r\n\r\n" .. text
end
