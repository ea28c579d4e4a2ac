internal import CZlib
internal import Zip

/// Builds zip archives for tests, also such as no tool makes.
public struct ZipBuilder {
  /// How an entry's bytes are written.
  public enum Method: UInt16, Sendable, CaseIterable {
    /// As they are.
    case stored = 0
    /// Compressed by zlib.
    case deflated = 8
  }

  /// An entry as its headers describe it; change what should be wrong.
  public struct Entry {
    /// The path.
    public var path: String
    /// What stands for the contents.
    public var data: [UInt8]
    /// How many bytes the contents have.
    public var size: Int
    /// The CRC-32 of the contents.
    public var checksum: UInt32
    /// The method's number.
    public var method: UInt16
    /// The flags: bit 11 says that the path is UTF-8.
    public var flags: UInt16 = 1 << 11
    /// The path in the local header.
    public var localPath: String
  }

  /// The entries, in their order.
  public var entries: [Entry] = []
  /// The comment at the end.
  public var comment = ""

  /// An archive of files.
  public init(_ files: [(path: String, text: String)] = [], _ method: Method = .deflated) {
    for file in files { add(file.path, Array(file.text.utf8), method) }
  }

  /// Adds an entry.
  public mutating func add(_ path: String, _ contents: [UInt8], _ method: Method = .deflated) {
    entries.append(
      Entry(
        path: path, data: method == .stored ? contents : compressed(contents, .raw),
        size: contents.count, checksum: UInt32(crc32(0, contents, uInt(contents.count))),
        method: method.rawValue, localPath: path))
  }

  /// The archive.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let offset = output.count
      let middle =
        little(entry.flags) + little(entry.method) + [0, 0, 0, 0] + little(entry.checksum)
        + little(UInt32(entry.data.count)) + little(UInt32(entry.size))
      output += [0x50, 0x4B, 3, 4, 20, 0] + middle
      output += little(UInt16(entry.localPath.utf8.count)) + [0, 0] + Array(entry.localPath.utf8)
      output += entry.data
      directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + middle
      directory += little(UInt16(entry.path.utf8.count)) + [UInt8](repeating: 0, count: 12)
      directory += little(UInt32(offset)) + Array(entry.path.utf8)
    }
    let count = little(UInt16(entries.count))
    let end =
      [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + count + count + little(UInt32(directory.count))
      + little(UInt32(output.count)) + little(UInt16(comment.utf8.count)) + Array(comment.utf8)
    return output + directory + end
  }

  private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
