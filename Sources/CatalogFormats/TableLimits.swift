/// The bounds of one entry, the same for every format.
enum TableLimits {
  /// Throws when a key or text is too long, or the table is full.
  static func check(key: String, text: String, count: Int, offset: Int = 0) throws(Finding) {
    let message: String? =
      if key.utf8.count > Limits.keyBytes {
        "A key is longer than \(Limits.keyBytes) bytes."
      } else if text.utf8.count > Limits.textBytes {
        "A text is longer than \(Limits.textBytes) bytes."
      } else if count >= Limits.entries {
        "There are more than \(Limits.entries) keys."
      } else {
        nil
      }
    if let message { throw Finding(offset: offset, code: .limitExceeded, message: message) }
  }
}
