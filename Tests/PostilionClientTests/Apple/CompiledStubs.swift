import Testing

/// Compiles the stubs before a suite, and removes them after it.
struct CompiledStubs: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let stubs = try AppleStubs()
    defer { stubs.remove() }
    try await stubs.compile()
    try await AppleStubs.$current.withValue(stubs, operation: function)
  }
}

extension Trait where Self == CompiledStubs {
  /// ``AppleStubs/current`` has them.
  static var compiledStubs: Self { Self() }
}
