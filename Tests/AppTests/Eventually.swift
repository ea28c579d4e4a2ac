import Testing

/// Asks again and again until it is so, two minutes at most: on a busy machine a second is short.
/// For what a client can only see by asking: the state of another process, or of the database.
func eventually(
  sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(120)
  while try await !isSo() {
    try #require(
      clock.now < deadline, "It did not come about within two minutes.",
      sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// Tries again and again until it fails for the reason that the test means, two minutes at most: on
/// a busy machine another error may come first, or none.
func eventuallyFails(_ reason: String, _ body: () async throws -> Void) async throws {
  var last = "It did not fail."
  try await eventually {
    do {
      try await body()
      last = "It did not fail."
    } catch {
      last = "\(error)"
    }
    return last.contains(reason)
  }
}
