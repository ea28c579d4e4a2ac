import ASCII
import CatalogFormats
import Foundation
import Localization
import Testing

@Suite struct PropertyListTests {
  private static let strings = [
    "k": "v", "long key that needs a count of its own": String(repeating: "x", count: 300),
    "ключ": "значение 😀", "": "", "same": "v",
  ]

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func xmlAndBinaryListsAreTablesWithoutTheirOtherValues(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    var mixed: [String: Any] = Self.strings
    mixed["list"] = ["a"]
    mixed["number"] = 7
    mixed["flag"] = true
    mixed["data"] = Data([1])
    let data = try PropertyListSerialization.data(
      fromPropertyList: mixed, format: format, options: 0)
    let result = StringsParser.parse(SourceFile(path: "x", bytes: Array(data)))
    #expect(texts(result) == Self.strings)
    #expect(
      result.diagnostics.map(\.code) == Array(repeating: "ignored_value", count: 4))
  }

  @Test(arguments: [
    (
      "<?xml version=\"1.0\"?>\n<plist>\n<dict><key>a</key>\n<string>x</wrong></dict></plist>",
      4, "malformed_xml"
    ),
    ("<plist><dict><key>a</key></dict></plist>", 1, "malformed_property_list"),
    ("<?xml", 1, "malformed_xml"),
  ])
  func malformedXMLIsAnErrorWithItsLine(text: String, line: Int, code: String) {
    let result = parse(text)
    #expect(result.entries == nil)
    #expect(result.diagnostics.map(\.code) == [code])
    #expect(result.diagnostics.map(\.line) == [line])
  }

  @Test func theLastValueOfAKeyCountsEvenIfItIsNoText() {
    let result = parse(
      "<plist><dict><key>k</key><string>a</string><key>k</key><array/></dict></plist>")
    #expect(texts(result) == [:])
    #expect(result.diagnostics.map(\.code) == ["ignored_value"])
  }

  @Test func xmlInUTF16IsRead() {
    let text =
      "<?xml version=\"1.0\" encoding=\"UTF-16\"?>"
      + "<plist><dict><key>clé</key><string>&#x1F600;&amp;</string></dict></plist>"
    let file = SourceFile(path: "x", bytes: [0xFF, 0xFE] + littleEndian(text))
    #expect(texts(StringsParser.parse(file)) == ["clé": "😀&"])
  }

  @Test func deeplyNestedXMLIsRefusedNotRecursedInto() {
    let result = parse("<plist>" + String(repeating: "<array>", count: 100_000))
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
  }

  @Test func anArrayIsNoTable() throws {
    let xml = parse("<plist><array/></plist>")
    #expect(xml.diagnostics.map(\.code) == ["not_a_dictionary"])
    let data = try PropertyListSerialization.data(
      fromPropertyList: ["a"], format: .binary, options: 0)
    let binary = StringsParser.parse(SourceFile(path: "x", bytes: Array(data)))
    #expect(binary.diagnostics.map(\.code) == ["not_a_dictionary"])
  }

  @Test(.timeLimit(.minutes(10)))
  func aSmallBinaryFileCannotStandForAnEndlessOne() {
    // Object 0 is {"a": 2}; each further object is an array of twice the next: 2^60 arrays.
    var objects: [[UInt8]] = [[0xD1, 1, 2], [0x51, 0x61]]
    objects += (2..<62).map { [0xA2, $0 + 1, $0 + 1] } + [[0xA0]]
    let result = StringsParser.parse(SourceFile(path: "x", bytes: binaryPropertyList(objects)))
    #expect(texts(result) == [:])
  }

  @Test func sharedLongTextsHaveABound() {
    // 2,000 keys that all mean the same 60,000 bytes.
    let long: [UInt8] = [0x5F, 0x11, 0xEA, 0x60] + [UInt8](repeating: 0x78, count: 60_000)
    let keys = (0..<2000).map { [0x54] + Array(String(1000 + $0).utf8) }
    let references =
      (1...2000).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      + (0..<2000).flatMap { _ in [UInt8(2001 >> 8), UInt8(2001 & 0xFF)] }
    let objects = [[0xDF, 0x11, 0x07, 0xD0] + references] + keys + [long]
    let result = StringsParser.parse(
      SourceFile(path: "x", bytes: binaryPropertyList(objects, referenceSize: 2)))
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
  }

  @Test(arguments: ["strings", "stringsdict"])
  func sharedLongKeysHaveABoundThoughNoneHasAText(format: String) {
    // 300 times the same key of 60,000 bytes, whose value is the truth value "true".
    let key: [UInt8] = [0x5F, 0x11, 0xEA, 0x60] + [UInt8](repeating: 0x78, count: 60_000)
    let dictionary: [UInt8] =
      [0xDF, 0x11, 0x01, 0x2C] + [UInt8](repeating: 1, count: 300)
      + [UInt8](repeating: 2, count: 300)
    let file = SourceFile(
      path: "en.lproj/L.\(format)", bytes: binaryPropertyList([dictionary, key, [0x09]]))
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
  }

  @Test(arguments: ["strings", "stringsdict"])
  func stringsThatOverlapAreAnError(format: String) {
    // 200 keys, each of a byte, then the beginning of all the others; none has a text.
    let count = 200
    let keys = (1...count).map { key in
      [0x5F, 0x11, 0x10, UInt8(key)] + [UInt8](repeating: 0x78, count: 16)
    }
    let number = UInt8(count + 1)
    let dictionary =
      [0xDF, 0x10, UInt8(count)] + (1...count).map { UInt8($0) }
      + [UInt8](repeating: number, count: count)
    let rest = [0x4F, 0x11, 0x20, 0x20] + [UInt8](repeating: 0x78, count: 0x2020)
    let file = SourceFile(
      path: "en.lproj/L.\(format)", bytes: binaryPropertyList([dictionary] + keys + [rest]))
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.diagnostics.map(\.code) == ["malformed_property_list"])
  }

  @Test(arguments: [
    Array("bplist00".utf8),
    Array("bplist00".utf8) + [UInt8](repeating: 0xFF, count: 32),
    Array("bplist00".utf8) + [UInt8](repeating: 0, count: 32),
    binaryPropertyList([[0xD1, 1, 9], [0x51, 0x61]]),
    binaryPropertyList([[0xD1, 1, 2], [0x10, 1], [0x51, 0x61]]),
    binaryPropertyList([[0xD1, 1, 1], [0x5F, 0x13, 0x7F, 0, 0, 0, 0, 0, 0, 0]]),
    binaryPropertyList([[0xDF, 0x1F]]),
  ])
  func malformedBinaryPropertyListsAreErrors(bytes: [UInt8]) {
    let result = StringsParser.parse(SourceFile(path: "x", bytes: bytes))
    #expect(result.diagnostics.map(\.code) == ["malformed_property_list"])
  }
}

/// The objects as a file; the first is the top one.
private func binaryPropertyList(_ objects: [[UInt8]], referenceSize: UInt8 = 1) -> [UInt8] {
  func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
  }
  var bytes = Array("bplist00".utf8)
  var offsets: [UInt8] = []
  for object in objects {
    offsets += bigEndian(bytes.count, 4)
    bytes += object
  }
  let table = bytes.count
  return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, referenceSize]
    + bigEndian(objects.count, 8) + bigEndian(0, 8) + bigEndian(table, 8)
}
