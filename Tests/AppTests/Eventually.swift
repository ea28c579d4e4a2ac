import Testing

/// Asks again and again until it is so, two minutes at most: on a busy machine a second is short.
/// For what a client can only see by asking: the state of another process, or of the database.
func eventually(_ isSo: () async throws -> Bool) async throws {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(120)
  while try await !isSo() {
    try #require(clock.now < deadline, "It did not come about within two minutes.")
    try await Task.sleep(for: .milliseconds(5))
  }
}
