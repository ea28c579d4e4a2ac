// `PropertyListSerialization` stops at 512 levels of nesting; `PropertyListDecoder`, its newer
// sibling in FoundationEssentials, overflows the stack on deeply nested XML (Swift 6.3.1).
internal import Foundation
internal import Localization

/// Reads a `.strings` file that is an XML property list.
enum XMLStrings {
  /// Whether a text starts as an XML property list does.
  static func matches(_ text: [UInt8]) -> Bool {
    let start = text.drop { (0x09...0x0D).contains($0) || $0 == 0x20 }
    return ["<?xml", "<!DOCTYPE", "<plist", "<!--"].contains { start.starts(with: $0.utf8) }
  }

  /// The texts of the dictionary; other values are left out.
  static func read(_ bytes: [UInt8]) throws(Finding) -> [String: Entry] {
    let list: Any
    do {
      list = try PropertyListSerialization.propertyList(
        from: Data(bytes), options: [], format: nil)
    } catch {
      let reason = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "unknown"
      throw Finding(
        offset: offset(ofLineIn: reason, bytes: bytes), code: .malformedPropertyList,
        message: "The XML property list cannot be read: \(reason.prefix(200))")
    }
    guard let dictionary = list as? [String: Any] else {
      throw Finding(
        offset: 0, code: .notADictionary, message: "The property list is no dictionary.")
    }
    var entries: [String: Entry] = [:]
    entries.reserveCapacity(min(dictionary.count, Limits.entries))
    for (key, value) in dictionary {
      guard let text = value as? String else { continue }
      try TableLimits.check(key: key, text: text, count: entries.count)
      entries[key] = .text(text)
    }
    return entries
  }

  /// Foundation tells the line only in its prose: `… on line 4 …`.
  private static func offset(ofLineIn reason: String, bytes: [UInt8]) -> Int {
    guard let word = reason.range(of: "on line "),
      let line = Int(reason[word.upperBound...].prefix { $0.isASCII && $0.isNumber })
    else { return 0 }
    var lineStarts = 1
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lineStarts += 1
      if lineStarts == line { return offset + 1 }
    }
    return 0
  }
}
