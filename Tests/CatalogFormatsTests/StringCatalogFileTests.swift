import ASCII
import Foundation
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

/// Whole string catalogs: what each file in the folder says, by language, and what is said of it.
@Suite struct StringCatalogFileTests {
  private static let folder = "StringCatalogs"
  private static let names = Golden.names(in: folder, ending: ".xcstrings")

  @Test(arguments: names) func aCatalogSaysWhatIsStored(name: String) throws {
    let text = try Golden.fixture("\(Self.folder)/\(name).xcstrings")
    let file = SourceFile(path: "\(name).xcstrings", bytes: Array(text.utf8))
    let contents = StringCatalogReader.read(file, table: name, recordsPlaces: true)
    #expect(contents.tables.allSatisfy { $0.name == name && $0.origin == .strings })
    let bare = StringCatalogReader.read(file, table: name, recordsPlaces: false)
    #expect(bare.tables.allSatisfy { $0.places.isEmpty })
    try Golden.check(try contents.json, named: "\(Self.folder)/\(name).json")
  }

  @Test func eachStoredOutputHasItsCatalog() {
    #expect(!Self.names.isEmpty)
    let outputs = Golden.names(in: Self.folder, ending: ".json")
    #expect(Set(outputs).subtracting(Self.names) == [])
  }
}

extension FileContents {
  /// The tables in their order, and the diagnostics, with their places.
  fileprivate var json: String {
    get throws {
      let object: [String: Any] = [
        "diagnostics": diagnostics.map(\.summary), "languages": tables.map(\.object),
      ]
      let data = try JSONSerialization.data(
        withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
      return String(decoding: data, as: UTF8.self) + "\n"
    }
  }
}

extension FileTable {
  fileprivate var object: [String: Any] {
    [
      "language": localization, "states": states, "uncertain": uncertain.map(\.text).sorted(),
      "entries": Dictionary(uniqueKeysWithValues: entries.map { ($0.text, $1.object) }),
      "places": Dictionary(
        uniqueKeysWithValues: places.map { ($0.text, "\($1.line):\($1.column)") }),
    ]
  }
}

extension Entry {
  /// A text, or what it varies by.
  fileprivate var object: Any {
    switch self {
    case .text(let text): text
    case .plural(let format): format.object
    case .devices(let formats): ["devices": formats.object { $0.rawValue }]
    case .widths(let formats): ["widths": formats.object { "\($0)" }]
    }
  }
}

extension Dictionary where Value == PluralFormat {
  fileprivate func object(_ name: (Key) -> String) -> [String: Any] {
    Dictionary<String, Any>(uniqueKeysWithValues: map { (name($0), $1.object) })
  }
}

extension PluralFormat {
  fileprivate var object: [String: Any] {
    var object: [String: Any] = ["text": text]
    if !variables.isEmpty {
      object["variables"] = Dictionary<String, Any>(
        uniqueKeysWithValues: variables.map { ($0.text, $1.object) })
    }
    return object
  }
}

extension PluralVariable {
  fileprivate var object: [String: Any] {
    let texts = cases.map { ($0.rawValue, $1) }
    var object: [String: Any] = [
      "cases": Dictionary(uniqueKeysWithValues: texts), "specifier": specifier,
    ]
    object["argument"] = argument
    return object
  }
}
