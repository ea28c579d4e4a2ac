import Testing

@testable import Registry

/// Revisions of an installation begin at a random number, and no two lives near each other.
@Suite struct FirstRevisionTests {
  private static let rows: [([UInt8], Int64)] = [
    ([0, 0, 0, 0, 0], 1), ([0, 0, 0, 0, 1], 1_048_577), ([0, 0, 0, 1, 0], 268_435_457),
    ([255, 255, 255, 255, 255], 1_152_921_504_605_798_401),
  ]

  @Test(arguments: rows)
  func lifeAndChangeHavePlacesOfTheirOwn(bytes: [UInt8], revision: Int64) {
    #expect(bytes.count == RegistryLimits.revisionBytes)
    #expect(Installation.firstRevision(bytes) == revision)
  }
}
