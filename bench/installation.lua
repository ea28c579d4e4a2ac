-- What the seeded installations look like. seed.sql, the pgbench scripts and the bench itself spell
-- keys and tokens the same way: scattered over their indexes like real ones, and computable in all
-- of these languages.

local format = string.format

-- Formats of bodies, one on a line, as the bench writes them.
local reports = {}

function read_reports(path)
  for line in io.lines(path) do reports[#reports + 1] = line end
end

-- The key that begins with 32 scattered bits and ends with the number.
function spelled_id(scatter, n)
  return format("%08x-0000-4000-8000-%012x", scatter, n)
end

function spelled_token(scatter, n)
  return format("%08x%056x", scatter, n)
end

-- Exact below n = 2^21: doubles hold 53 bits.
function seeded_id(n)
  return spelled_id((n * 2654435761) % 4294967296, n)
end

function seeded_token(n)
  return spelled_token((n * 2246822519) % 4294967296, n)
end

-- Whether number n has a token.
function has_token(n)
  return not reports[n % #reports + 1]:find("%.0s%.0s", 1, true)
end

-- The report of number n: what seed.sql stores when token and version are the seeded ones. A VoIP
-- token is the other one from back to front.
function report_body(n, token, version)
  return format(reports[n % #reports + 1], token, token:reverse(), version, n % 100000000)
end
