internal import CCrypto

/// Unpredictable bytes from libcrypto's generator, fit for keys and tokens.
///
/// The process stops when the generator cannot be seeded: no weaker bytes would do, and there is
/// nothing a caller could try instead.
public func randomBytes(_ count: Int) -> [UInt8] {
  precondition(count >= 0 && count <= Int32.max, "a byte count is not negative")
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    let isFilled = count == 0 || RAND_bytes(buffer.baseAddress, Int32(count)) == 1
    precondition(isFilled, "libcrypto's random generator cannot be seeded")
    initialized = count
  }
}
