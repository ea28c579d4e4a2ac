internal import CZlib

/// zlib: the method "deflated" and the checksum of zip archives.
enum Deflate {
  /// The bytes that a raw deflate stream stands for; nil unless there are exactly `size` of them
  /// and the stream ends at the end of its bytes. Never writes more than `size`.
  static func inflated(_ compressed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
    var isWhole = false
    let contents = [UInt8](unsafeUninitializedCapacity: max(1, size)) { buffer, count in
      var stream = z_stream()
      let opened = inflateInit2_(
        &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      guard opened == Z_OK else { return }
      defer { inflateEnd(&stream) }
      compressed.withUnsafeBufferPointer { input in
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = uInt(input.count)
        stream.next_out = buffer.baseAddress
        stream.avail_out = uInt(size)
        isWhole =
          inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
          && stream.avail_out == 0
      }
      count = size - Int(stream.avail_out)
    }
    return isWhole ? contents : nil
  }

  /// The CRC-32.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, bytes, uInt(bytes.count)))
  }
}

/// The format around compressed bytes.
public enum CompressionForm: Sendable {
  /// Nothing (RFC 1951): the bytes of a zip archive.
  case raw
  /// A gzip file (RFC 1952).
  case gzip

  fileprivate var windowBits: Int32 { self == .raw ? -MAX_WBITS : MAX_WBITS + 16 }
}

/// Compresses bytes as well as zlib can.
public func compressed(_ bytes: [UInt8], _ form: CompressionForm) -> [UInt8] {
  var stream = z_stream()
  let opened = deflateInit2_(
    &stream, Z_BEST_COMPRESSION, Z_DEFLATED, form.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size))
  precondition(opened == Z_OK, "zlib takes these parameters")
  defer { deflateEnd(&stream) }
  let bound = Int(deflateBound(&stream, uLong(bytes.count)))
  return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
    bytes.withUnsafeBufferPointer { input in
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.avail_in = uInt(input.count)
      stream.next_out = buffer.baseAddress
      stream.avail_out = uInt(bound)
      let result = deflate(&stream, Z_FINISH)
      precondition(result == Z_STREAM_END, "the buffer is large enough")
    }
    count = bound - Int(stream.avail_out)
  }
}
