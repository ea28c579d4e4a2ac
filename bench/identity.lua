-- The keys and tokens of installation number n, as seed.sql and the pgbench scripts spell them:
-- scattered over their indexes like real ones, and computable in all three languages.

local format = string.format

function installation_id(n)
  return format("%08x-0000-4000-8000-%012x", (n * 2654435761) % 4294967296, n)
end

function token(n)
  return format("%08x%012x%08x%036d", (n * 2246822519) % 4294967296, n, (n * 3266489917) % 4294967296, 0)
end
