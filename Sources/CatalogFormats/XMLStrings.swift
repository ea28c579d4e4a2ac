internal import FoundationEssentials
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
    do {
      return try PropertyListDecoder().decode(Texts.self, from: Data(bytes)).entries
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding(
        offset: 0, code: .malformedPropertyList,
        message: "The XML property list cannot be read: \(reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    guard case DecodingError.dataCorrupted(let context) = error else {
      return "it is no dictionary."
    }
    let underlying = context.underlyingError.map { String(describing: $0) }
    return String((underlying ?? context.debugDescription).prefix(200))
  }

  private struct Texts: Decodable {
    var entries: [String: Entry] = [:]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      for key in container.allKeys {
        guard let text = try? container.decode(String.self, forKey: key) else { continue }
        try TableLimits.check(key: key.stringValue, text: text, count: entries.count)
        entries[key.stringValue] = .text(text)
      }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      nil
    }
  }
}
