import ASCII
import Foundation
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

@Suite struct StringsDictionaryTests {
  @Test func everyShapeBecomesAnEntry() {
    let contents = read(
      """
      <key>plain</key><string>Tom &amp; <![CDATA[<Jerry>]]>&#x1F600;</string>
      <key>fixed</key><dict><key>NSStringLocalizedFormatKey</key><string>%@ came</string></dict>
      <key>count</key><dict>
        <key>NSStringLocalizedFormatKey</key><string>%1$@ sent %2$#@n@</string>
        <key>n</key>\(variable("<key>one</key><string>%2$d note</string>"))
      </dict>
      <key>nested</key><dict>
        <key>NSStringLocalizedFormatKey</key><string>%#@files@</string>
        <key>files</key>\(variable("", other: "%d files in %#@folders@"))
        <key>folders</key>\(variable("", other: "%d folders"))
      </dict>
      <key>width</key><dict><key>NSStringVariableWidthRuleType</key><dict>
        <key>1</key><string>Hi</string><key>20</key><string>Hello</string></dict></dict>
      <key>device</key><dict><key>NSStringDeviceSpecificRuleType</key><dict>
        <key>iphone</key><string>Tap</string>
        <key>mac</key><dict>
          <key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
          <key>n</key>\(variable("", other: "%d clicks"))</dict></dict></dict>
      """)
    #expect(contents.diagnostics.isEmpty)
    func number(_ cases: [PluralCategory: String]) -> PluralVariable {
      PluralVariable(specifier: "d", cases: cases)
    }
    #expect(
      contents.tables.first?.entries == [
        "plain": .text("Tom & <Jerry>😀"), "fixed": .text("%@ came"),
        "count": .plural(
          PluralFormat(
            "%1$@ sent %2$#@n@",
            variables: ["n": number([.one: "%2$d note", .other: "%d notes"])])),
        "nested": .plural(
          PluralFormat(
            "%#@files@",
            variables: [
              "files": number([.other: "%d files in %#@folders@"]),
              "folders": number([.other: "%d folders"]),
            ])),
        "width": .widths([1: PluralFormat("Hi"), 20: PluralFormat("Hello")]),
        "device": .devices([
          .iphone: PluralFormat("Tap"),
          .mac: PluralFormat("%#@n@", variables: ["n": number([.other: "%d clicks"])]),
        ]),
      ])
  }

  @Test(arguments: [
    // What the entry is, then what is said, then whether the entry is there.
    ("<array/>", ["error ignored_value 4:1"], false),
    ("<dict/>", ["error missing_format 4:1"], false),
    ("<dict><key>n</key>\(variable(""))</dict>", ["error missing_format 4:1"], false),
    (format("%#@m@", ""), ["error undefined_variable 4:1"], false),
    (format("x", "<key>n</key>\(variable(""))"), ["warning unreferenced_variable 4:1"], true),
    (
      format("%#@n@", "<key>n</key>\(variable("", other: "%#@n@"))"),
      ["error cyclic_variables 4:1"], false
    ),
    (
      format("%#@n@", "<key>n</key>\(variable("", other: nil))"), ["error missing_other 4:1"],
      false
    ),
    (
      format("%#@n@", "<key>n</key>\(variable("<key>one</key><string>1</string>", other: nil))"),
      ["warning missing_other 4:1"], true
    ),
    (
      format("%#@n@", "\n<key>n</key>\(variable("\n<key>lots</key><string>1</string>"))"),
      ["warning unknown_category 6:1"], true
    ),
    (
      format("%#@n@", "\n<key>n</key>\(variable("\n<key>one</key><true/>"))"),
      ["error ignored_value 6:1"], true
    ),
    (
      format("%#@n@", "\n<key>n</key>\(variable("\n<key>other</key><string>1</string>"))"),
      ["warning duplicate_key 6:1"], true
    ),
    (
      format("%#@n@", "\n<key>n</key><string>x</string>"),
      ["error undefined_variable 4:1", "warning ignored_value 5:1"], false
    ),
    (
      format("%#@n@", "<key>n</key>\(variable("", rule: "Other"))"),
      ["error unknown_rule 4:96"], false
    ),
    (
      format("%#@n@", "\n<key>n</key>\(variable("", specifier: "%ld"))"),
      ["warning unknown_specifier 5:94"], true
    ),
    (
      format("%#@n@", "\n<key>n</key>\(variable("", specifier: "words"))"),
      ["warning unknown_specifier 5:94"], true
    ),
    (
      rule("NSStringVariableWidthRuleType", "\n<key>wide</key><string>x</string>"),
      ["error missing_format 4:1", "warning unknown_width 5:1"], false
    ),
    (
      rule("NSStringDeviceSpecificRuleType", "\n<key>watch</key><string>x</string>"),
      ["error missing_format 4:1", "warning unknown_device 5:1"], false
    ),
    (
      rule(
        "NSStringDeviceSpecificRuleType",
        "\n<key>ipad</key>\(rule("NSStringDeviceSpecificRuleType", ""))"
          + "<key>mac</key><string>x</string>"),
      ["error unsupported_variation 5:1"], true
    ),
    (
      "<dict><key>NSStringDeviceSpecificRuleType</key><dict><key>mac</key><string>x</string></dict>"
        + "<key>NSStringLocalizedFormatKey</key><string>y</string></dict>",
      ["warning conflicting_variations 4:1"], true
    ),
    ("<string>1</string>\n<key>k</key><string>2</string>", ["warning duplicate_key 5:1"], true),
  ])
  func whatDoesNotFitIsSaidWhereItStands(
    value: String, expected: [String], isThere: Bool
  ) {
    let contents = read("<key>k</key>\(value)<key>z</key><string>last</string>")
    #expect(contents.diagnostics.map(\.summary) == expected)
    #expect((contents.tables.first?.entries["k"] != nil) == isThere)
    #expect(contents.tables.first?.entries["z"] == .text("last"))
  }

  /// A device has its own text, that of the other rules, or none: never that of another device.
  @Test(
    arguments: [
      (deviceRule("iphone", widths), "Tap the lamp", "Click", nil),
      (deviceRule("iphone", "<array/>"), nil, "Click", nil),
      (deviceRule("iphone", "<dict/>"), nil, "Click", nil),
      (
        deviceRule("iphone", widths)
          + "<key>NSStringLocalizedFormatKey</key><string>Press</string>",
        "Tap the lamp", "Click", "Press"
      ),
      (
        deviceRule("ipad", widths)
          + "<key>NSStringVariableWidthRuleType</key>"
          + "<dict><key>9</key><string>Press</string></dict>",
        "Press", "Click", "Tap the lamp"
      ),
      (
        "<key>NSStringVariableWidthRuleType</key><dict><key>5</key><string>Tap</string>"
          + "<key>40</key><dict>\(deviceRule("ipad", "<string>Tap it</string>"))</dict></dict>",
        "Tap", "Click", "Tap it"
      ),
      (
        deviceRule(
          "iphone", format("%#@n@", "<key>n</key>\(variable("", other: "%d taps"))")),
        "%#@n@", "Click", nil
      ),
    ] as [(String, String?, String?, String?)])
  func noDeviceHasTheTextOfAnother(
    rules: String, iphone: String?, mac: String?, ipad: String?
  ) {
    let entry = read("<key>k</key><dict>\(rules)</dict>").tables.first?.entries["k"]
    #expect(entry?.format(for: .iphone)?.text == iphone)
    #expect(entry?.format(for: .mac)?.text == mac)
    #expect(entry?.format(for: .ipad)?.text == ipad)
  }

  @Test func theSpecifierLosesItsPercentSignAndIsDWhenItIsNone() {
    for (written, taken) in [("%ld", "ld"), ("lu", "lu"), ("@", "@"), ("words", "d"), ("", "d")] {
      let value = format("%#@n@", "<key>n</key>\(variable("", specifier: written))")
      guard case .plural(let format) = read("<key>k</key>\(value)").tables.first?.entries["k"]
      else {
        Issue.record("no plural")
        continue
      }
      #expect(format.variables["n"]?.specifier == taken)
    }
  }

  @Test func placesAreThoseOfTheKeys() {
    let contents = read(
      "<key>a</key><string>é</string> <key>b</key><string/>\n <key>a</key><string/>",
      recordsPlaces: true)
    #expect(
      contents.tables.first?.places == [
        "a": Place(line: 5, column: 2), "b": Place(line: 4, column: 32),
      ])
  }

  @Test func binaryFilesAndUTF16HoldTheSame() throws {
    let text = document("<key>k</key>\(format("%#@n@", "<key>n</key>\(variable(""))"))")
    let list = try PropertyListSerialization.propertyList(
      from: Data(text.utf8), options: [], format: nil)
    let binary = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    let units = text.utf16.flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let wide: [UInt8] = [0xFF, 0xFE] + units
    let expected = read(Array(text.utf8)).tables.first?.entries
    #expect(expected?.count == 1)
    for bytes in [Array(binary), wide, [0xEF, 0xBB, 0xBF] + Array(text.utf8)] {
      let contents = read(bytes)
      #expect(contents.tables.first?.entries == expected)
      #expect(contents.diagnostics.isEmpty)
    }
  }

  @Test(arguments: [
    ("", "warning empty_file 1:1"),
    ("<plist><array/></plist>", "error not_a_dictionary 1:1"),
    ("<plist><dict><string/></dict></plist>", "error malformed_property_list 1:14"),
    ("<plist><dict><key>a</key></dict></plist>", "error malformed_property_list 1:26"),
    ("<plist><dict>x</dict></plist>", "error malformed_property_list 1:14"),
    ("<plist><dict/><dict/></plist>", "error malformed_property_list 1:15"),
    ("<plist><dict><key>a</key><text/></dict></plist>", "error malformed_property_list 1:26"),
    ("<plist><dict><key>a<b/></key></dict></plist>", "error malformed_property_list 1:20"),
    ("<plist/>", "error malformed_property_list 1:1"),
    ("k = v;", "error malformed_xml 1:1"),
    ("bplist00", "error malformed_property_list 1:1"),
  ])
  func filesThatAreNoDictionaryAreRejected(text: String, expected: String) {
    let contents = read(Array(text.utf8))
    #expect(contents.diagnostics.map(\.summary) == [expected])
    #expect(contents.tables.count == (text.isEmpty ? 1 : 0))
  }

  @Test func aFileCutAnywhereIsRejectedAndNoneCrashes() throws {
    let text = document("<key>é</key>\(format("%#@n@", "<key>n</key>\(variable(""))"))")
    let bytes = Array(text.utf8)
    for count in 1..<bytes.count - 1 {
      #expect(read(Array(bytes[..<count])).tables.isEmpty, "\(count)")
    }
    let list = try PropertyListSerialization.propertyList(
      from: Data(bytes), options: [], format: nil)
    let binary = Array(
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
    for count in 8..<binary.count { _ = read(Array(binary[..<count])) }
    var random = SplitMix64(seed: 0x5D)
    for _ in 0..<5000 {
      var damaged = Bool.random(using: &random) ? bytes : binary
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      _ = read(damaged)
    }
  }

  @Test func sharedObjectsDoNotMultiplyWithoutBound() {
    // Sixty dictionaries, each holding the next under two keys.
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for index in 0..<60 {
      offsets.append(bytes.count)
      bytes += [0xD2, 60, 61, UInt8(index + 1), UInt8(index + 1)]
    }
    for key in "ab".utf8 {
      offsets.append(bytes.count)
      bytes += [0x51, key]
    }
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [offsets.count, 0, table] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    #expect(read(bytes).diagnostics.map(\.code) == ["limit_exceeded"])
  }

  @Test func manyFindingsAreCutErrorsKept() {
    let unused = format("x", "<key>n</key>\(variable(""))")
    let warnings = (0..<300).map { "<key>a\($0)</key>\(unused)" }.joined()
    let contents = read(warnings + "<key>b</key><dict/>")
    #expect(contents.diagnostics.count == 102)
    #expect(contents.diagnostics.contains { $0.code == "missing_format" })
    #expect(contents.diagnostics.last?.code == "more_diagnostics")
  }
}

private func document(_ pairs: String) -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/list.dtd">
  <plist version="1.0"><dict>
  \(pairs)
  </dict></plist>
  """
}

private func format(_ text: String, _ variables: String) -> String {
  "<dict><key>NSStringLocalizedFormatKey</key><string>\(text)</string>\(variables)</dict>"
}

private let widths =
  "<dict><key>NSStringVariableWidthRuleType</key><dict><key>5</key><string>Tap</string>"
  + "<key>40</key><string>Tap the lamp</string></dict></dict>"

/// A rule for one device and the Mac.
private func deviceRule(_ device: String, _ value: String) -> String {
  "<key>NSStringDeviceSpecificRuleType</key><dict><key>\(device)</key>\(value)"
    + "<key>mac</key><string>Click</string></dict>"
}

private func rule(_ name: String, _ choices: String) -> String {
  "<dict><key>\(name)</key><dict>\(choices)</dict></dict>"
}

private func variable(
  _ cases: String, other: String? = "%d notes", rule: String = "NSStringPluralRuleType",
  specifier: String = "d"
) -> String {
  let other = other.map { "<key>other</key><string>\($0)</string>" } ?? ""
  return "<dict><key>NSStringFormatSpecTypeKey</key><string>\(rule)</string>"
    + "<key>NSStringFormatValueTypeKey</key><string>\(specifier)</string>\(other)\(cases)</dict>"
}

private func read(_ pairs: String, recordsPlaces: Bool = false) -> FileContents {
  read(Array(document(pairs).utf8), recordsPlaces: recordsPlaces)
}

private func read(_ bytes: [UInt8], recordsPlaces: Bool = false) -> FileContents {
  StringsDictionaryReader.read(
    SourceFile(path: "fr.lproj/Localizable.stringsdict", bytes: bytes), localization: "fr",
    table: "Localizable", recordsPlaces: recordsPlaces)
}
