internal import CCrypto

/// Whether two byte strings are equal, in time that depends only on their lengths.
///
/// For secrets and their digests; lengths are taken as public, so unequal ones answer at once.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
