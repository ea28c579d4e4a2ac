-- What the seeded installations look like. seed.sql and the pgbench scripts spell keys and tokens
-- the same way: scattered over their indexes like real ones, and computable in all three languages.

local format = string.format

local languages = {
  '"en-US"', '"de-DE","en-DE"', '"fr-CA","en-CA"', '"zh-Hant-HK","en-GB"',
  '"es-MX","en-US"', '"ja-JP"', '"pt-BR","en-US"', '"en-GB","fr-FR"',
}

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

local report = '{"platform":"ios","environment":"production",'
  .. '"credentials":{"apns":{"token":"%s"}},"languages":[%s],"locale":"en_HK",'
  .. '"time_zone":"Asia/Hong_Kong","app_version":"%s","app_build":"412","os_version":"17.4.1",'
  .. '"device_model":"iPhone15,2","localization":"auto",'
  .. '"capabilities":["loc-key","mutable-content"],"authorization":{"status":"authorized",'
  .. '"alert":true,"badge":true,"sound":false,"critical_alert":false,"time_sensitive":true},'
  .. '"user":{"id":"u%08d"},"tags":["beta"],"attributes":{"plan":"pro"},'
  .. '"reported_at":"2025-05-02T19:32:41Z"}'

-- The report of number n: what seed.sql stores when token and version are the seeded ones.
function report_body(n, token, version)
  return format(report, token, languages[n % 8 + 1], version, n % 100000000)
end
