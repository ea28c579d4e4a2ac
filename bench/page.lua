-- A page of a list. Arguments: path, key.

dofile("bench/report.lua")

local text

function init(arguments)
  text = "GET " .. arguments[1] .. " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
    .. arguments[2] .. "\r\n\r\n"
end

function request()
  return text
end
