import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A value for one who waits: whichever of the two comes first.
@Suite struct AwaitedTests {
  @Test func theWaiterMayComeFirst() async {
    let awaited = Awaited<Int>()
    #expect(await awaited.value { awaited.end(with: 7) } == 7)
  }

  @Test func theValueMayComeFirst() async {
    let awaited = Awaited<Int>()
    awaited.end(with: 7)
    awaited.end(with: 8)
    var hasBegun = false
    #expect(await awaited.value { hasBegun = true } == 7)
    #expect(!hasBegun)
  }

  @Test func aRequestThatIsCancelledAtOnceEnds() async throws {
    let address = try #require(URL(string: "http://127.0.0.1:1"))
    let request = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await URLSessionTransport().send(URLRequest(url: address))
    }
    await #expect(throws: (any Error).self) { try await request.value }
  }
}
