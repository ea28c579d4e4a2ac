import Foundation
import Testing

/// Whatever reads bytes from outside takes no more than in proportion to their number, and of a
/// head no more than a request without a key may cost.
@Suite struct ReaderCostTests {
  /// For four times the bytes at most so many times the instructions: a square has sixteen.
  private static let limit = 4.5
  /// Instructions for a byte of a head in a build for tests. They are some twenty times those of a
  /// release, where 32 KiB take a millisecond at this rate.
  private static let headLimit = 3_500

  private func cost(
    _ reader: Reader, _ counts: [String: Int]
  ) throws -> (each: Int, ratio: Double) {
    let few = try #require(counts["\(reader.name) \(reader.sizes[0])"], "\(reader.name)")
    let many = try #require(counts["\(reader.name) \(reader.sizes[1])"], "\(reader.name)")
    return (many / reader.sizes[1], Double(many) / Double(few))
  }

  @Test(.enabled(if: Instructions.canBeCounted, "valgrind is not installed"))
  func fourTimesTheBytesAreFourTimesTheWork() throws {
    let counts = try Instructions.ofReaders()
    for reader in Reader.all {
      let (each, ratio) = try cost(reader, counts)
      let shown = String(format: "%.1f", ratio)
      print("| \(reader.name) | \(reader.largest) | \(each) | \(shown) |")
      #expect(ratio <= Self.limit, "\(reader.name): \(ratio) times")
    }
    for field in Reader.fields {
      #expect(try cost(field, counts).each <= Self.headLimit, "\(field.name)")
    }
    // That it finds what it looks for, in what was there once.
    #expect(try cost(.bySquare, counts).ratio > Self.limit)
    #expect(try cost(.byRegex, counts).each > Self.headLimit)
  }

  /// A reader that is not in the list is not bounded as far as anyone knows.
  @Test func eachReaderIsInTheList() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let list = try String(
      decoding: Data(contentsOf: root.appendingPathComponent("docs/parsing-costs.md")),
      as: UTF8.self)
    for reader in Reader.all { #expect(list.contains("| \(reader.name) |"), "\(reader.name)") }
  }
}
