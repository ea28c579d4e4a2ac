/// The bounds of one entry and of a table, the same for every format.
enum TableLimits {
  /// Throws when a key or text is too long or holds U+0000: then the entry is left out.
  static func check(key: String, text: String, offset: Int = 0) throws(Finding) {
    try checkLengths(key: key, text: text, offset: offset)
    if key.utf8.contains(0) || text.utf8.contains(0) { throw nul(at: offset) }
  }

  /// Throws when a key or text is too long: then the entry is left out.
  static func checkLengths(key: String, text: String, offset: Int) throws(Finding) {
    if key.utf8.count > Limits.keyBytes {
      throw exceeded("A key is longer than \(Limits.keyBytes) bytes.", offset)
    }
    if text.utf8.count > Limits.textBytes {
      throw exceeded("A text is longer than \(Limits.textBytes) bytes.", offset)
    }
  }

  /// Throws when a table that has so many entries is full: then the file is rejected.
  static func check(count: Int, offset: Int) throws(Finding) {
    if count >= Limits.entries {
      throw exceeded("There are more than \(Limits.entries) keys.", offset)
    }
  }

  /// The fault of a string that holds U+0000.
  static func nul(at offset: Int) -> Finding {
    Finding(
      offset: offset, code: .nulCharacter,
      message: "A string holds the character U+0000, which can be neither shown nor stored.")
  }

  private static func exceeded(_ message: String, _ offset: Int) -> Finding {
    Finding(offset: offset, code: .limitExceeded, message: message)
  }
}
