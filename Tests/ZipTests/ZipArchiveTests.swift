import TestSupport
import Testing

@testable import Zip

@Suite struct ZipArchiveTests {
  private static let text = String(repeating: "Grüße aus Köln. ", count: 500)

  /// What the files of an archive hold, or why it is not read.
  private func read(_ bytes: [UInt8], maximumCount: Int = 10) -> Result<[String], ZipFault> {
    do throws(ZipFault) {
      let archive = try ZipArchive(bytes, maximumCount: maximumCount)
      var texts: [String] = []
      for entry in archive.entries {
        texts.append(
          entry.path + "=" + String(decoding: try archive.bytes(of: entry), as: UTF8.self))
      }
      return .success(texts)
    } catch {
      return .failure(error)
    }
  }

  private func reason(_ result: Result<[String], ZipFault>) -> ZipFault.Reason? {
    if case .failure(let fault) = result { fault.reason } else { nil }
  }

  @Test(arguments: ZipBuilder.Method.allCases)
  func filesComeOutAsTheyWentIn(method: ZipBuilder.Method) {
    var zip = ZipBuilder(
      [("a.txt", Self.text), ("é/leer", ""), ("é/", ""), ("b", "b")], method)
    let expected = ["a.txt=" + Self.text, "é/leer=", "é/=", "b=b"]
    #expect(read(zip.bytes) == .success(expected))
    zip.comment = "PK\u{5}\u{6} is no end, nor is " + String(repeating: "x", count: 60_000)
    #expect(read(zip.bytes) == .success(expected))
    #expect(read(ZipBuilder().bytes) == .success([]))
  }

  @Test func whatIsWrittenIsRead() {
    let files = [(path: "a.txt", bytes: Array(Self.text.utf8)), ("é/leer", [])]
    let archive = ZipArchive.archive(files)
    #expect(read(archive) == .success(["a.txt=" + Self.text, "é/leer="]))
    #expect(archive.count < Self.text.utf8.count / 10)
    #expect(archive == ZipArchive.archive(files))
    #expect(read(ZipArchive.archive([])) == .success([]))
  }

  /// Ten bytes stand in front, and behind it a checksum and the size (RFC 1952, section 2.3).
  @Test func aGzipFileComesBack() {
    for bytes in [[], [1], Array(Self.text.utf8)] as [[UInt8]] {
      let file = compressed(bytes, .gzip)
      #expect(Deflate.inflated(file[10..<file.count - 8], size: bytes.count) == bytes)
      #expect(file.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) } == bytes.count)
    }
  }

  @Test func sizesAfterTheDataAreNoHindrance() {
    var zip = ZipBuilder([("a", "text")])
    zip.entries[0].flags |= 1 << 3
    #expect(read(zip.bytes) == .success(["a=text"]))
  }

  static let wrong: [(String, ZipFault.Reason, @Sendable (inout ZipBuilder.Entry) -> Void)] = [
    ("encrypted", .unsupported, { $0.flags |= 1 }),
    ("strongly encrypted", .unsupported, { $0.flags |= 1 << 6 }),
    ("masked", .unsupported, { $0.flags |= 1 << 13 }),
    ("bzip2", .unsupported, { $0.method = 12 }),
    ("ZIP64", .unsupported, { $0.size = 0xFFFF_FFFF }),
    ("another checksum", .malformed, { $0.checksum ^= 1 }),
    ("more than it says", .malformed, { $0.size -= 1 }),
    ("less than it says", .malformed, { $0.size += 1 }),
    ("no end", .malformed, { $0.data.removeLast() }),
    ("something behind the end", .malformed, { $0.data.append(0) }),
    ("no deflate", .malformed, { $0.data = [0xFF, 0xFF] }),
    ("nothing", .malformed, { $0.data = [] }),
    ("another name in front of it", .malformed, { $0.localPath = "x.txt" }),
    ("a stored file of another size", .malformed, { $0.method = 0 }),
  ]

  @Test(arguments: wrong.indices)
  func whatIsWrongIsTold(index: Int) {
    let (name, expected, change) = Self.wrong[index]
    var zip = ZipBuilder([("a.txt", Self.text)])
    change(&zip.entries[0])
    let result = read(zip.bytes)
    #expect(reason(result) == expected, "\(name)")
  }

  @Test func archivesThatAreNoneOrOfOtherKindsAreToldApart() {
    var bytes = ZipBuilder([("a", "a"), ("b", "b")]).bytes
    let end = bytes.count - 22
    #expect(reason(read(bytes, maximumCount: 1)) == .tooLarge)
    for (offset, value, expected) in [
      (4, 1, ZipFault.Reason.unsupported), (8, 1, .unsupported), (10, 3, .unsupported),
      (12, 1, .malformed), (16, 1, .malformed), (19, 0x7F, .malformed), (0, 0, .malformed),
    ] {
      var changed = bytes
      changed[end + offset] = UInt8(value)
      #expect(reason(read(changed)) == expected, "\(offset)")
    }
    for offset in [8, 9, 10, 11] { bytes[end + offset] = 0xFF }
    #expect(reason(read(bytes, maximumCount: 100_000)) == .unsupported)
    #expect(reason(read([])) == .malformed)
    #expect(reason(read(Array("PK".utf8))) == .malformed)
    var latin = ZipBuilder([("a", "a")]).bytes
    for index in latin.indices where latin[index] == UInt8(ascii: "a") { latin[index] = 0xE9 }
    #expect(reason(read(latin)) == .unsupported)
  }

  @Test func entriesThatNameTheSameBytesAreRefused() {
    var bytes = ZipBuilder([("a", Self.text), ("a", ""), ("a", "")], .stored).bytes
    #expect(read(bytes) == .success(["a=" + Self.text, "a=", "a="]))
    // An entry of the directory has 46 bytes and its name.
    let directory = bytes.count - 22 - 3 * 47
    let first = bytes[directory..<directory + 47]
    bytes.replaceSubrange(directory + 47..<directory + 141, with: first + first)
    #expect(reason(read(bytes)) == .malformed)
  }

  /// Any damage is told or harmless: what is read is what was written.
  @Test func noDamageGoesUnnoticed() {
    let bytes = ZipBuilder([("a.txt", Self.text), ("b", "b")]).bytes
    let whole = read(bytes)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x55
      if case .success(let texts) = read(damaged), .success(texts) != whole {
        // Only a name, in both of its places, or a size of zero entries may differ.
        Issue.record("byte \(index) gives \(texts.map { $0.prefix(20) })")
      }
      _ = read(Array(bytes.prefix(index)))
    }
  }
}
