internal import CCrypto

/// What holds for libcrypto in the whole process.
enum Libcrypto {
  /// Whether it is there until the very end; whoever uses it first says so.
  ///
  /// By default it frees all that it has when the process exits. Other threads go on meanwhile: one
  /// that then needs a random byte, such as for a new session of the database, would crash.
  /// Source: OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`.
  static let staysUntilTheEnd = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
