import DeviceProfile
import Foundation
import Postgres
import Testing

@testable import Registry

/// A call that arrived before another one may be written behind it, and the clocks of two instances
/// differ: the times of an installation stay in order all the same.
@Suite struct ChangeTimeTests {
  private static let time: Int64 = 1_700_000_000_000_000

  /// Microseconds from the last change to the call, and from the last change to the new time.
  @Test(arguments: [(-5000, 0), (-1, 0), (0, 0), (1, 1), (5000, 5000)] as [(Int64, Int64)])
  func aChangeIsNotOlderThanTheOneBefore(call: Int64, changed: Int64) {
    let last = Timestamp(microseconds: Self.time)
    let installation = Installation(
      appID: 1, id: InstallationID(UUID()), revision: 1, platform: .ios, environment: .production,
      reportedAt: nil, createdAt: last, updatedAt: last, lastSeenAt: last)
    let now = Timestamp(microseconds: Self.time + call)
    let expected = Timestamp(microseconds: Self.time + changed)
    #expect(installation.revised(at: now) { $0.appBuild = "9" }.updatedAt == expected)
    #expect(installation.losing([], at: now).updatedAt == expected)
  }
}
