internal import ASCII
internal import Localization

/// The grammar of `StringsParser`: one pass over valid UTF-8, by recursive descent.
struct OldStyleParser {
  private(set) var scanner: StringsScanner
  private(set) var entries: [Spelling: Entry] = [:]
  /// Keys whose entries cannot be read.
  private(set) var leftOut: Set<Spelling> = []
  /// How many pairs the rest of the file seems to have, if reading ends before the end of the file:
  /// the runtime passes over the rest without a word.
  private(set) var textsLeftOut = 0
  /// The keys of the table by place, in order of place; empty unless asked for.
  private(set) var keyOffsets: [(key: String, offset: Int)] = []
  private let recordsPlaces: Bool
  /// Where the key stands that is being read.
  private var keyOffset = 0

  private enum Value {
    case text(String)
    /// A dictionary, an array or data: valid, but no text.
    case other
  }

  init(_ text: [UInt8], findings: FindingList, recordsPlaces: Bool) {
    scanner = StringsScanner(text, findings: findings)
    self.recordsPlaces = recordsPlaces
    // A pair takes about 100 bytes in real files.
    entries.reserveCapacity(min(text.count / 100, Limits.entries))
  }

  mutating func parseFile() throws(Finding) {
    try parseTable()
    if let comment = scanner.openComment {
      leaveOutRest(
        .unterminatedComment, from: comment, "This comment is never closed: the rest is ignored.")
    }
  }

  private mutating func parseTable() throws(Finding) {
    guard scanner.skipBlanks() else {
      if scanner.bytes.isEmpty {
        scanner.warn(.emptyFile, at: 0, "The file is empty.")
      }
      return
    }
    switch scanner.byte {
    case UInt8(ascii: "{"):
      try dictionary(depth: 0, isTable: true)
      if scanner.skipBlanks() {
        throw failure(.textAfterEnd, "There is text after the closing brace.")
      }
    case UInt8(ascii: "("), UInt8(ascii: "<"):
      throw failure(.notADictionary, "The file holds an array or data instead of pairs.")
    default:
      guard scanner.startsString else {
        throw failure(.unexpectedCharacter, "A key was expected here.")
      }
      try bareTable()
      if scanner.byte != nil {
        leaveOutRest(
          .textAfterEnd, from: scanner.index, "The rest of the file from here on is ignored.")
      }
    }
  }

  /// Tells of the rest of the file, which nobody reads: an error if there are pairs in it.
  private mutating func leaveOutRest(
    _ code: Diagnostic.Code, from offset: Int, _ message: String
  ) {
    var (pairs, isLineStart, isCounted) = (0, true, false)
    for byte in scanner.bytes[offset...] {
      if byte == UInt8(ascii: "="), !isCounted {
        // The line between two versions of a conflict begins with `=`, and is no pair.
        if !isLineStart { pairs += 1 }
        isCounted = true
      }
      isLineStart = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      if isLineStart { isCounted = false }
    }
    textsLeftOut += pairs
    scanner.findings.append(
      Finding(
        offset: offset, severity: pairs == 0 ? .warning : .error, code: code, message: message))
  }

  /// The pairs of a file without braces.
  private mutating func bareTable() throws(Finding) {
    do throws(Finding) {
      try pairs(depth: 0, isTable: true)
    } catch {
      guard error.code == .unterminatedString, error.offset == keyOffset else { throw error }
      textsLeftOut = 1
      scanner.findings.append(error)
    }
  }

  private mutating func pairs(depth: Int, isTable: Bool) throws(Finding) {
    while scanner.skipBlanks(), scanner.startsString {
      try Finding.checkCancellation()
      let start = scanner.index
      if isTable {
        keyOffset = start
        scanner.nulOffset = nil
      }
      let key = try scanner.string()
      var value = Value.text(key)
      var end = scanner.index
      guard scanner.skipBlanks() else {
        throw failure(.missingSemicolon, "';' is missing after the key.", at: end)
      }
      if scanner.byte == UInt8(ascii: "=") {
        scanner.index += 1
        value = try self.value(depth: depth + 1)
        end = scanner.index
      } else if scanner.byte != UInt8(ascii: ";") {
        throw failure(
          .missingEqualsSign, "'=' or ';' is missing after the key.\(quoteHint(at: end))", at: end)
      }
      guard scanner.skipBlanks(), scanner.byte == UInt8(ascii: ";") else {
        throw failure(
          .missingSemicolon, "';' is missing after the value.\(quoteHint(at: end))", at: end)
      }
      scanner.index += 1
      if isTable { try add(value, key: key, at: start) }
    }
  }

  /// Advice for the case that a quote within a text has ended it: `"Say "hello" now"`.
  private func quoteHint(at end: Int) -> String {
    guard scanner.index == end, scanner.bytes[end - 1] == UInt8(ascii: "\""),
      let next = scanner.byte,
      StringsScanner.isUnquoted(next) || next == UInt8(ascii: "%") || next >= 0x80
    else { return "" }
    return " Write \\\" for a quote within a text."
  }

  private mutating func add(_ value: Value, key: String, at offset: Int) throws(Finding) {
    let previous: Entry?
    switch value {
    case .text(let text):
      try TableLimits.check(count: entries.count, offset: offset)
      if let fault = fault(key: key, text: text, at: offset) {
        scanner.findings.append(fault)
        leftOut.insert(key)
        previous = entries.removeValue(forKey: Spelling(key))
      } else {
        previous = entries.updateValue(.text(text), forKey: Spelling(key))
        if recordsPlaces { keyOffsets.append((key, offset)) }
      }
    case .other:
      previous = entries.removeValue(forKey: Spelling(key))
      leftOut.insert(key)
      scanner.findings.append(
        Finding(
          offset: offset, code: .ignoredValue,
          message: "The value of this key is no text, and is left out."))
    }
    if previous != nil {
      scanner.warn(.duplicateKey, at: offset, "This key was already there; the last value counts.")
    }
  }

  /// Why a pair cannot be an entry.
  private func fault(key: String, text: String, at offset: Int) -> Finding? {
    if let nul = scanner.nulOffset {
      guard scanner.lacksDigits else { return TableLimits.nul(at: nul) }
      // U+0000 is not repeated: a diagnostic is stored, too.
      let place = key.utf8.contains(0) ? "a key" : "'\(key.quoted)'"
      return Finding(
        offset: nul, code: .nulCharacter,
        message: "After \\U in \(place) there must be four hexadecimal digits.")
    }
    do throws(Finding) {
      try TableLimits.checkLengths(key: key, text: text, offset: offset)
      return nil
    } catch {
      return error
    }
  }

  private mutating func value(depth: Int) throws(Finding) -> Value {
    guard scanner.skipBlanks() else {
      throw failure(.unexpectedEnd, "The file ends where a value was expected.")
    }
    if scanner.startsString { return .text(try scanner.string()) }
    guard depth <= Limits.nesting else {
      throw failure(.limitExceeded, "Values are nested deeper than \(Limits.nesting) levels.")
    }
    switch scanner.byte {
    case UInt8(ascii: "{"): try dictionary(depth: depth, isTable: false)
    case UInt8(ascii: "("): try array(depth: depth)
    case UInt8(ascii: "<"): try data()
    default: throw failure(.unexpectedCharacter, "A value was expected here.")
    }
    return .other
  }

  private mutating func dictionary(depth: Int, isTable: Bool) throws(Finding) {
    let start = scanner.index
    scanner.index += 1
    try pairs(depth: depth, isTable: isTable)
    guard scanner.skipBlanks(), scanner.byte == UInt8(ascii: "}") else {
      throw failure(.missingBracket, "'}' is missing for this dictionary.", at: start)
    }
    scanner.index += 1
  }

  private mutating func array(depth: Int) throws(Finding) {
    let start = scanner.index
    scanner.index += 1
    while scanner.skipBlanks(), scanner.byte != UInt8(ascii: ")") {
      _ = try value(depth: depth + 1)
      guard scanner.skipBlanks(), scanner.byte == UInt8(ascii: ",") else { break }
      scanner.index += 1
    }
    guard scanner.skipBlanks(), scanner.byte == UInt8(ascii: ")") else {
      throw failure(.missingBracket, "')' is missing for this array.", at: start)
    }
    scanner.index += 1
  }

  /// Hexadecimal digits in pairs, blanks between the pairs, up to `>`.
  private mutating func data() throws(Finding) {
    let start = scanner.index
    scanner.index += 1
    var digits = 0
    while let byte = scanner.byte, byte != UInt8(ascii: ">") {
      scanner.index += 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        digits += 1
      case 0x09...0x0D where digits.isMultiple(of: 2),
        0x20 where digits.isMultiple(of: 2):
        continue
      default:
        throw failure(.malformedData, "Data consists of pairs of hexadecimal digits.", at: start)
      }
    }
    guard scanner.byte != nil, digits.isMultiple(of: 2) else {
      throw failure(.malformedData, "This data is not closed, or its digits are odd.", at: start)
    }
    scanner.index += 1
  }

  private func failure(
    _ code: Diagnostic.Code, _ message: String, at offset: Int? = nil
  ) -> Finding {
    Finding(offset: offset ?? scanner.index, code: code, message: message)
  }
}
