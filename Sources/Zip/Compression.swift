internal import CZlib

/// What stands around compressed bytes.
public enum CompressionForm: Sendable {
  /// Nothing (RFC 1951): the bytes of a zip archive.
  case raw
  /// A gzip file (RFC 1952).
  case gzip

  fileprivate var windowBits: Int32 { self == .raw ? -MAX_WBITS : MAX_WBITS + 16 }
}

/// Bytes as small as zlib makes them.
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
