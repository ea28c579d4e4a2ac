import HTTP
import TestSupport
import Testing

@testable import App

/// The routes as a table that a person reviews.
@Suite struct RoutesTests {
  @Test func theRoutesAreAsReviewed() throws {
    let lines = Features.all.map { endpoint in
      let columns = [
        endpoint.method.name, endpoint.pattern, endpoint.operation, endpoint.access.text,
      ]
      return zip(columns, [7, 56, 20, 0]).map { text, width in
        text + String(repeating: " ", count: max(0, width - text.count))
      }.joined(separator: " ")
    }
    try Golden.check(
      lines.sorted().joined(separator: "\n") + "\n", named: "routes.txt")
  }

  @Test func operationsAreNamedOnce() {
    let names = Features.all.map(\.operation)
    #expect(Set(names).count == names.count)
    let routes = Features.all.map { "\($0.method.name) \($0.pattern)" }
    #expect(Set(routes).count == routes.count)
  }
}
