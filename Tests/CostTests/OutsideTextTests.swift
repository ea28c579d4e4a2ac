import CatalogFormats
import Foundation
import Testing
import Zip

@testable import App
@testable import HTTP
@testable import Postgres
@testable import Registry

/// Names and texts of uploads, tables, query strings and proofs, as `BodyMemberTests` looks at
/// those of JSON: marks cost no more than as many letters, also where a text is short and comes
/// often.
@Suite struct OutsideTextTests {
  /// Where texts stand that others chose.
  struct Place: CustomTestStringConvertible, Sendable {
    let name: String
    /// Bytes of a text.
    let bytes: Int
    /// How many texts there are.
    let count: Int
    /// Makes the input of a text, and gives the work on it.
    let prepare: @Sendable (String) -> () -> Void

    var testDescription: String { name }
  }

  /// How many times as long as letters marks may take: reading a scalar of several bytes takes
  /// longer than one of ASCII.
  private static let limit = 4.0

  private static func place<Input>(
    _ name: String, _ bytes: Int, times count: Int = 1,
    _ make: @escaping @Sendable ([String]) -> Input,
    _ read: @escaping @Sendable (Input) -> Void
  ) -> Place {
    Place(name: name, bytes: bytes, count: count) { text in
      let input = make((0..<count).map { "\(text)\($0)" })
      return { read(input) }
    }
  }

  static let places = archives + forms + lists + tables + heads

  private static func archive(
    _ name: String, _ bytes: Int, times count: Int, _ path: @escaping @Sendable (String) -> String
  ) -> Place {
    place(name, bytes, times: count) { names in
      SourceFile(
        path: "a.zip",
        bytes: ZipArchive.archive(names.map { (path($0), Array("\"a\"=\"b\";".utf8)) }))
    } _: { file in
      _ = CatalogImporter.read([file], developmentLanguage: "en", appNames: ["Food"], lints: true)
    }
  }

  private static let archives: [Place] = [
    archive("too long a name in a zip archive", 65_000, times: 1) { "\($0)/en.lproj/A.strings" },
    archive("folders in a zip archive", 960, times: 200) { "\($0)/en.lproj/A.strings" },
    archive("tables in a zip archive", 960, times: 200) { "en.lproj/\($0).strings" },
    archive("exports in a zip archive", 960, times: 200) { "\($0).xcloc/\($0.suffix(3))/en.xliff" },
    archive("languages in a zip archive", 960, times: 200) { "\($0).lproj/A.strings" },
    archive("names without an extension in a zip archive", 960, times: 200) { $0 },
  ]

  private static func form(
    _ name: String, _ bytes: Int, times count: Int, _ field: @escaping @Sendable (String) -> String
  ) -> Place {
    place(name, bytes, times: count) { names in
      Array(names.map { "--x\r\n\(field($0))\r\n\r\nb\r\n" }.joined().utf8) + Array("--x--".utf8)
    } _: { body in
      _ = try? MultipartForm.parse(body, boundary: "x")
    }
  }

  private static let forms: [Place] = [
    form("names of files of a form", 3_900, times: 100) {
      "Content-Disposition: form-data; name=\"a\"; filename=\"\($0)\""
    },
    form("names of fields of a form", 3_900, times: 100) {
      "Content-Disposition: form-data; name=\"\($0)\""
    },
    form("types of parts of a form", 3_900, times: 100) { "Content-Type: \($0)" },
    form("encodings of parts of a form", 3_900, times: 100) { "Content-Transfer-Encoding: \($0)" },
  ]

  private static func list(
    _ name: String, _ bytes: Int, times count: Int = 1, _ path: String = "en.lproj/A.strings",
    _ pairs: @escaping @Sendable ([String]) -> [(String, PropertyList)]
  ) -> Place {
    place(name, bytes, times: count) { names in
      SourceFile(path: path, bytes: PropertyList.dictionary(pairs(names)).bytes)
    } _: { file in
      _ = CatalogImporter.read([file], developmentLanguage: "en", lints: true)
    }
  }

  /// An entry of a dictionary of texts.
  private static func entry(
    _ name: String, _ bytes: Int = 128 << 10, times count: Int = 1,
    _ pairs: @escaping @Sendable ([String]) -> [(String, PropertyList)]
  ) -> Place {
    list(name, bytes, times: count, "en.lproj/A.stringsdict") { [("a", .dictionary(pairs($0)))] }
  }

  private static let lists: [Place] = [
    list("too long a key of a binary list", 128 << 10) { $0.map { ($0, .text("a")) } },
    list("too long a text of a binary list", 128 << 10) { $0.map { ("a", .text($0)) } },
    list("keys of a binary list", 4_000, times: 50) { $0.map { ($0, .text("a")) } },
    list("texts of a binary list", 60_000, times: 4) { texts in
      texts.enumerated().map { ("\($0)", .text($1)) }
    },
    entry("rules of a binary list") { $0.map { ($0, .text("a")) } },
    entry("names of variables of a binary list", 120, times: 60) { names in
      [("NSStringLocalizedFormatKey", .text(names.map { "%#@\($0)@" }.joined()))]
        + names.map { name in
          let form: [(String, PropertyList)] = [
            ("NSStringFormatSpecTypeKey", .text("NSStringPluralRuleType")),
            ("NSStringFormatValueTypeKey", .text("d")), ("other", .text("%d %#@\(name)@")),
          ]
          return (name, .dictionary(form))
        }
    },
    entry("categories of a binary list") { names in
      [
        ("NSStringLocalizedFormatKey", .text("%#@v@")),
        (
          "v",
          .dictionary([("NSStringFormatSpecTypeKey", .text(names[0])), (names[0], .text("a"))])
        ),
      ]
    },
    entry("devices of a binary list") { names in
      [("NSStringDeviceSpecificRuleType", .dictionary(names.map { ($0, .text("a")) }))]
    },
    entry("widths of a binary list") { names in
      [("NSStringVariableWidthRuleType", .dictionary(names.map { ($0, .text("a")) }))]
    },
  ]

  private static func table(_ name: String, _ rows: @escaping @Sendable (String) -> String) -> Place
  {
    place(name, 128 << 10) {
      Array(rows($0[0]).utf8)
    } _: { bytes in
      var source = ImportSource()
      try? source.append(bytes)
      source.finish()
      while (try? source.next()) != nil {}
    }
  }

  private static let tables: [Place] =
    [table("names of columns") { "installation_id,\($0)\na,b\n" }]
    + ([
      "installation_id", "platform", "apns_status", "tags", "languages", "capabilities",
      "time_zone", "user_id", "last_seen_at",
    ].map { column in
      table("cells of \(column)") {
        column == "installation_id" ? "\(column)\n\($0)\n" : "installation_id,\(column)\na,\($0)\n"
      }
    })
    + [
      table("kinds of other credentials") {
        "installation_id,other_credentials\na,\"{\"\"\($0)\"\":{}}\"\n"
      }
    ]

  private static func query(
    _ name: String, _ text: @escaping @Sendable (String) -> String,
    _ read: @escaping @Sendable (inout QueryReader) -> Void
  ) -> Place {
    place(name, 2_600, times: 5) { names in
      names.map { text($0.utf8.map { "%" + String($0, radix: 16) }.joined()) }
    } _: { queries in
      for query in queries { ask(query, read) }
    }
  }

  private static func ask(_ query: String, _ read: (inout QueryReader) -> Void) {
    guard let head = try? RequestHead(method: .get, target: "/?\(query)"),
      var reader = try? QueryReader(
        Request(
          head: head, parameters: PathParameters(names: [], values: []), requestID: "", peer: nil,
          now: Timestamp(microseconds: 0)))
    else { return }
    read(&reader)
    try? reader.finish()
  }

  private static let heads: [Place] =
    [
      "platform", "status", "credential", "token", "language", "app_version", "seen_since", "user",
      "tag", "tags%5Bany%5D", "authorization%5Balert%5D", "attributes%5Ba%5D",
      "attributes%5Ba%5D%5Bgte%5D", "filter",
    ].map { filter in
      query("\(filter) in a query") {
        "\(filter)=\($0)"
      } _: { reader in
        _ = InstallationFilter(appID: 1, from: &reader)
      }
    } + [
      query("dry_run in a query") {
        "dry_run=\($0)"
      } _: {
        _ = $0.isDryRun()
      },
      query("limit in a query") {
        "limit=\($0)"
      } _: {
        _ = $0.limit()
      },
      query("cursor in a query") {
        "cursor=\($0)"
      } _: {
        _ = $0.cursor(String.self)
      },
      query("names in a query") {
        "\($0)=a"
      } _: { _ in
      },
      place("proofs of users", 4_000, times: 20) {
        $0
      } _: { tokens in
        for token in tokens { checkProof(token) }
      },
    ]

  @Test(arguments: places)
  func noPlaceTakesMarksForMoreThanLetters(place: Place) {
    let letters = place.prepare(String(repeating: "a", count: place.bytes))
    let plain = processorSeconds(letters)
    for unit in ["\u{301}\u{323}", "\u{323}", "\u{1F1E9}"] {
      let marks = place.prepare(
        "e" + String(repeating: unit, count: place.bytes / unit.utf8.count))
      let taken = processorSeconds(marks)
      #expect(taken < plain * Self.limit + 0.001, "\(place.name): \(taken) and \(plain) s")
    }
  }
}

/// A property list, as far as files of strings need it.
enum PropertyList {
  case text(String)
  case dictionary([(String, PropertyList)])

  /// The binary form, its texts in UTF-16.
  var bytes: [UInt8] {
    var objects: [[UInt8]] = []
    _ = add(to: &objects)
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += Self.bigEndian(bytes.count, 4)
      bytes += object
    }
    let table = bytes.count
    return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + Self.bigEndian(objects.count, 8)
      + Self.bigEndian(0, 8) + Self.bigEndian(table, 8)
  }

  private func add(to objects: inout [[UInt8]]) -> Int {
    let place = objects.count
    objects.append([])
    switch self {
    case .text(let text):
      objects[place] =
        [0x6F, 0x12] + Self.bigEndian(text.utf16.count, 4)
        + text.utf16.flatMap { Self.bigEndian(Int($0), 2) }
    case .dictionary(let pairs):
      let keys = pairs.map { PropertyList.text($0.0).add(to: &objects) }
      let values = pairs.map { $0.1.add(to: &objects) }
      objects[place] =
        [0xDF, 0x12] + Self.bigEndian(pairs.count, 4)
        + (keys + values).flatMap { Self.bigEndian($0, 2) }
    }
    return place
  }

  private static func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
  }
}
