-- Ends a run with one line for the bench: what was answered, and what went wrong.

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format(
    "result requests=%d microseconds=%d statuses=%d connect=%d read=%d write=%d timeout=%d "
      .. "p50=%d p99=%d p999=%d",
    summary.requests, summary.duration, errors.status, errors.connect, errors.read, errors.write,
    errors.timeout, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9)))
end
