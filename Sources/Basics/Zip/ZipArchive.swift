/// A zip archive in memory: what its central directory lists.
///
///     local header  data  local header  data  …  central directory  end of central directory
///
/// The archive has only the entries that the central directory lists, and each must be where the
/// directory says: bytes between the entries are passed over. Source: PKWARE, "APPNOTE.TXT – .ZIP
/// File Format Specification", 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end).
public struct ZipArchive: Sendable {
  /// A file or folder of the archive.
  public struct Entry: Sendable, Hashable {
    /// The path with `/`, as it was written; a folder's ends in one. Nobody has checked it.
    public let path: String
    /// How many bytes the file has, as the archive says; ``ZipArchive/bytes(of:)`` checks it.
    public let size: Int
    let flags: UInt16
    let method: UInt16
    let checksum: UInt32
    let compressedSize: Int
    let offset: Int
  }

  /// Everything that is listed, in its order.
  public let entries: [Entry]
  private let bytes: [UInt8]
  /// Where the central directory begins, and so the data ends.
  private let directory: Int

  /// Reads what an archive lists.
  ///
  /// - Parameters:
  ///   - bytes: the whole archive.
  ///   - maximumCount: how many entries it may list.
  /// - Throws: ``ZipFault`` when the bytes are no archive that can be read.
  public init(_ bytes: [UInt8], maximumCount: Int) throws(ZipFault) {
    let end = try Self.end(of: bytes)
    let count = bytes.uint16(end + 10)
    let size = bytes.uint32(end + 12)
    directory = bytes.uint32(end + 16)
    guard bytes.uint16(end + 4) == 0, bytes.uint16(end + 6) == 0, bytes.uint16(end + 8) == count
    else { throw ZipFault(.unsupported, "An archive in several parts is not read.") }
    guard count != 0xFFFF, size != 0xFFFF_FFFF, directory != 0xFFFF_FFFF else {
      throw ZipFault(.unsupported, "ZIP64 is not read.")
    }
    guard directory + size <= end else { throw Self.malformed }
    guard count <= maximumCount else {
      throw ZipFault(.tooLarge, "The archive has more than \(maximumCount) entries.")
    }
    var entries: [Entry] = []
    var position = directory
    for _ in 0..<count {
      let (entry, next) = try Self.entry(at: position, in: bytes, before: directory + size)
      entries.append(entry)
      position = next
    }
    // Or a small archive could name the same bytes thousands of times, and each time costs.
    guard entries.reduce(0, { $0 + $1.compressedSize }) <= directory else {
      throw ZipFault(.malformed, "Entries of the archive overlap.")
    }
    self.entries = entries
    self.bytes = bytes
  }

  static let malformed = ZipFault(.malformed, "This is no zip archive, or it is damaged.")

  /// The contents of a file, checked by size and CRC-32.
  ///
  /// - Throws: ``ZipFault`` when it is encrypted, compressed by a method that is not read, or
  ///   damaged.
  public func bytes(of entry: Entry) throws(ZipFault) -> [UInt8] {
    guard entry.flags & Self.encrypted == 0 else {
      throw ZipFault(.unsupported, "'\(entry.path)' is encrypted.")
    }
    let damaged = ZipFault(.malformed, "'\(entry.path)' is damaged.")
    let start = entry.offset
    guard start + 30 <= directory, bytes.uint32(start) == 0x0403_4B50 else { throw damaged }
    let name = start + 30
    let data = name + bytes.uint16(start + 26) + bytes.uint16(start + 28)
    guard data + entry.compressedSize <= directory,
      bytes[name..<name + bytes.uint16(start + 26)].elementsEqual(entry.path.utf8)
    else { throw damaged }
    let stored = bytes[data..<data + entry.compressedSize]
    let contents: [UInt8]?
    switch entry.method {
    case 0: contents = entry.size == entry.compressedSize ? Array(stored) : nil
    case 8: contents = Deflate.inflated(stored, size: entry.size)
    default:
      throw ZipFault(
        .unsupported, "'\(entry.path)' is compressed by method \(entry.method); 0 and 8 are read.")
    }
    guard let contents, Deflate.checksum(contents) == entry.checksum else { throw damaged }
    return contents
  }

  /// Bits of the flags: encrypted, strongly encrypted, headers masked.
  private static let encrypted: UInt16 = 1 << 0 | 1 << 6 | 1 << 13

  /// Where the end of the central directory is: before a comment of at most 65535 bytes.
  private static func end(of bytes: [UInt8]) throws(ZipFault) -> Int {
    var position = bytes.count - 22
    let last = max(0, position - 0xFFFF)
    while position >= last {
      if bytes.uint32(position) == 0x0605_4B50,
        position + 22 + bytes.uint16(position + 20) == bytes.count
      {
        return position
      }
      position -= 1
    }
    throw malformed
  }

  private static func entry(
    at start: Int, in bytes: [UInt8], before end: Int
  ) throws(ZipFault) -> (Entry, next: Int) {
    guard start + 46 <= end, bytes.uint32(start) == 0x0201_4B50 else { throw malformed }
    let name = start + 46
    let extra = name + bytes.uint16(start + 28)
    let next = extra + bytes.uint16(start + 30) + bytes.uint16(start + 32)
    guard next <= end else { throw malformed }
    guard let path = String(validating: bytes[name..<extra], as: UTF8.self) else {
      throw ZipFault(.unsupported, "A name in the archive is not in UTF-8.")
    }
    let sizes = [bytes.uint32(start + 20), bytes.uint32(start + 24), bytes.uint32(start + 42)]
    guard !sizes.contains(0xFFFF_FFFF) else { throw ZipFault(.unsupported, "ZIP64 is not read.") }
    let entry = Entry(
      path: path, size: sizes[1], flags: UInt16(bytes.uint16(start + 8)),
      method: UInt16(bytes.uint16(start + 10)), checksum: UInt32(bytes.uint32(start + 16)),
      compressedSize: sizes[0], offset: sizes[2])
    return (entry, next)
  }
}

extension [UInt8] {
  /// Two bytes as a number, the least significant first.
  fileprivate func uint16(_ offset: Int) -> Int {
    Int(self[offset]) | Int(self[offset + 1]) << 8
  }

  /// Four bytes as a number, the least significant first.
  fileprivate func uint32(_ offset: Int) -> Int {
    uint16(offset) | uint16(offset + 2) << 16
  }
}

/// Why an archive, or an entry of it, is not read.
public struct ZipFault: Error, Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// The bytes are no archive, or contradict themselves.
    case malformed
    /// It is one of a kind that is not read: encrypted, ZIP64, in several parts, or compressed by
    /// another method than "stored" and "deflated".
    case unsupported
    /// There is more in it than the caller takes.
    case tooLarge
  }

  public let reason: Reason
  /// One English sentence.
  public let message: String

  init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
