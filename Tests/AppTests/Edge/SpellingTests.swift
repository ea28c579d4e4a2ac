import AppTesting
import Foundation
import Testing

/// Two spellings of é are equal texts to Swift, and two texts to the database, to a device and to
/// whoever sent them.
@Suite struct SpellingTests {
  private static let (one, other) = ("caf\u{E9}", "cafe\u{301}")

  private static func bytes(_ json: JSON) -> [UInt8] { Array(json.text.utf8) }

  private static func bytes(_ name: String, _ value: JSON) -> [UInt8] {
    bytes(.object([name: value]))
  }

  @Test(
    arguments: Transport.allCases,
    ["tags", "capabilities", "device_model", "user", "attributes"])
  func aReportThatChangesTheSpellingAloneIsAChange(
    transport: Transport, field: String
  ) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    func value(_ text: String) -> JSON {
      switch field {
      case "device_model": .string(text)
      case "user": ["id": .string(text)]
      case "attributes": .object([text: .string(text)])
      default: [.string(text)]
      }
    }
    var report = Sample.report()
    for text in [Self.one, Self.other, Self.one] {
      report[field] = value(text)
      let reply = try await app.sender.put(path, report)
      #expect([200, 201].contains(reply.status))
      let stored = try await app.admin.get(path).json[field]
      #expect(Self.bytes(field, stored) == Self.bytes(field, value(text)))
    }
  }

  @Test(arguments: ["tag", "tags[any]", "user"])
  func aFilterFindsTheSpellingThatItSays(name: String) async throws {
    let app = try await TestApp.make(.inProcess)
    var report = Sample.report()
    report["tags"] = [.string(Self.one)]
    report["user"] = ["id": .string(Self.one)]
    _ = try await app.sender.put(app.installation(Sample.id()), report)
    for (text, expected) in [(Self.one, 1), (Self.other, 0)] {
      let value = name == "tags[any]" ? "[\"\(text)\"]" : text
      let query = [name, value].map {
        $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      }
      let items = try await app.admin.get(
        "\(app.path)/installations?\(query.joined(separator: "="))"
      ).json["items"].elements
      #expect(items.count == expected)
    }
  }

  /// A device compares the keys of its strings so.
  @Test func aCatalogHasTheKeyThatItSpells() async throws {
    func shown(_ files: String, _ key: String) async throws -> String? {
      let scene = try await Scene(
        .inProcess, files: [(path: "en.lproj/Localizable.strings", text: files)],
        devices: [["languages": ["en"]]])
      let reply = try await scene.render(
        ["alert": ["body": ["key": .string(key)]]], arguments: .null)
      return reply.status == 200 ? reply.json["payload"]["aps"]["alert"]["body"].string : nil
    }
    let first = "\"\(Self.one)\" = \"one\";\n"
    #expect(try await shown(first, Self.one) == "one")
    #expect(try await shown(first, Self.other) == nil)
    let both = first + "\"\(Self.other)\" = \"other\";\n"
    #expect(try await shown(both, Self.one) == "one")
    #expect(try await shown(both, Self.other) == "other")
  }

  @Test func aMessageThatChangesTheSpellingAloneIsANewVersion() async throws {
    let app = try await TestApp.make(.inProcess)
    let path = "\(app.path)/messages/greeting"
    for (version, text) in [(1, Self.one), (2, Self.other), (3, Self.one)] {
      let message: JSON = ["alert": .string(text), "data": .object([text: 1])]
      let reply = try await app.admin.put(path, message)
      #expect(reply.json["version"].whole == version)
      let stored = try await app.admin.get(path).json["message"]
      #expect(Self.bytes("alert", stored["alert"]) == Self.bytes("alert", .string(text)))
    }
  }
}
