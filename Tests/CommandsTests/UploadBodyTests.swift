import CatalogFormats
import TestSupport
import Testing

@testable import Commands

/// What is more than an upload takes goes as one archive, or not at all.
@Suite struct UploadBodyTests {
  private static let large = 12 << 20

  private func body(_ files: [SourceFile]) throws -> [UInt8] {
    try UploadBody(files, read: files).bytes
  }

  private func isArchive(_ body: [UInt8]) -> Bool {
    String(decoding: body.prefix(300), as: UTF8.self).contains("filename=\"strings.zip\"")
  }

  @Test(arguments: [(1, false), (2, false), (3, true)])
  func manyBytesAreOneArchive(count: Int, isOne: Bool) throws {
    let spaces = [UInt8](repeating: 0x20, count: Self.large)
    let body = try body((0..<count).map { SourceFile(path: "\($0).xliff", bytes: spaces) })
    #expect(isArchive(body) == isOne)
    #expect(body.count <= UploadLimits.bodyBytes)
  }

  /// Before anything is sent.
  @Test func whatDoesNotFitAtAllIsTold() {
    var random = SplitMix64(seed: 1)
    let noise = (0..<Self.large / 8).flatMap { _ in
      withUnsafeBytes(of: random.next()) { Array($0) }
    }
    let files = (0..<3).map { SourceFile(path: "\($0).xliff", bytes: noise) }
    let exit = #expect(throws: Exit.self) { try body(files) }
    #expect(exit?.code == ExitCode.data)
    #expect(exit?.line.contains("the service takes at most 33554432") == true)
  }
}
