internal import ASCII

/// A value of a property list, as far as string tables need it, with the places of its keys.
enum PropertyListValue {
  case text(String)
  /// In order of the file; a key may occur twice.
  case dictionary([Pair])
  /// An array, a number, a date, data, a truth value.
  case other

  struct Pair {
    var key: String
    var value: PropertyListValue
    /// Where the key stands, in bytes; 0 in a binary list.
    var offset: Int
  }

  /// The pairs of a dictionary; anything else is no string table.
  func pairs() throws(Finding) -> [Pair] {
    guard case .dictionary(let pairs) = self else {
      throw Finding(
        offset: 0, code: .notADictionary, message: "The property list is no dictionary.")
    }
    return pairs
  }
}

/// Reads an XML property list into values.
///
/// Foundation's readers are not used: `PropertyListSerialization` never frees the error of a list
/// that it refuses, with the name of an unknown element in it, and tells lines only in its prose;
/// `PropertyListDecoder` overflows the stack on deep nesting (Swift 6.3.1).
///
///     plist = <plist> value </plist> | value
///     value = <dict> { <key>…</key> value } </dict> | <string>…</string> | <array>, <data>,
///             <date>, <integer>, <real>, <true>, <false>: skipped
struct XMLPropertyList {
  private var reader: XMLReader
  private var count = 0

  /// Whether a text starts as an XML property list does.
  static func matches(_ text: [UInt8]) -> Bool {
    let start = text.drop { (0x09...0x0D).contains($0) || $0 == 0x20 }
    return ["<?xml", "<!DOCTYPE", "<plist", "<!--"].contains { start.starts(with: $0.utf8) }
  }

  /// The value of a whole file.
  static func read(_ text: [UInt8]) throws(Finding) -> PropertyListValue {
    var list = try XMLPropertyList(reader: XMLReader(text))
    return try list.document()
  }

  private mutating func document() throws(Finding) -> PropertyListValue {
    guard var tag = try child() else { throw failure("it is empty") }
    let isWrapped = tag.name == "plist"
    if isWrapped {
      guard let inner = try child() else { throw failure("it is empty") }
      tag = inner
    }
    let value = try value(tag)
    if isWrapped, try child() != nil { throw failure("it holds more than one value") }
    // The rest of the text must be well-formed.
    while try reader.next() != nil {}
    return value
  }

  /// The next element inside the open one; nil at its end. Only blanks may stand between.
  private mutating func child() throws(Finding) -> XMLReader.Tag? {
    while let event = try reader.next() {
      switch event {
      case .start(let tag): return tag
      case .end: return nil
      case .text where reader.textIsBlank: continue
      case .text: throw failure("there is text between its values")
      }
    }
    return nil
  }

  /// The value whose start tag has been read; nested no deeper than the reader allows.
  private mutating func value(_ tag: XMLReader.Tag) throws(Finding) -> PropertyListValue {
    count += 1
    guard count <= Limits.propertyListValues else {
      throw Finding(
        offset: tag.offset, code: .limitExceeded,
        message: "There are more than \(Limits.propertyListValues) values.")
    }
    switch tag.name {
    case "dict": return try dictionary()
    case "string": return .text(try text())
    case "array", "data", "date", "integer", "real", "true", "false":
      try reader.skip()
      return .other
    default: throw failure("'\(tag.name.text.quoted)' is no element of it")
    }
  }

  private mutating func dictionary() throws(Finding) -> PropertyListValue {
    var pairs: [PropertyListValue.Pair] = []
    while let tag = try child() {
      guard tag.name == "key" else { throw failure("a value has no key") }
      let key = try text()
      guard let next = try child() else {
        throw failure("the key '\(key.quoted)' has no value")
      }
      let value = try value(next)
      pairs.append(PropertyListValue.Pair(key: key, value: value, offset: tag.offset))
    }
    return .dictionary(pairs)
  }

  /// The text of an element without elements in it.
  private mutating func text() throws(Finding) -> String {
    var text = ""
    while let event = try reader.next() {
      switch event {
      case .text: text = reader.text
      case .end: return text
      case .start: throw failure("a text holds elements")
      }
    }
    return text
  }

  private func failure(_ reason: String) -> Finding {
    Finding(
      offset: reader.offset, code: .malformedPropertyList,
      message: "The XML property list cannot be read: \(reason).")
  }
}
