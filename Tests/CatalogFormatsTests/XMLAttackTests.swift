import CatalogFormats
import Foundation
import Localization
import Testing

/// Documents that want more than to be read: each is refused where it does, and nothing is
/// expanded, fetched or guessed.
@Suite struct XMLAttackTests {
  @Test(arguments: [
    // Declarations are refused unread, at the beginning of the document type.
    ("[<!ENTITY a 'ha'>]", "T", "malformed_xml 1:1"),
    ("[<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'><!ENTITY c '&b;&b;'>]", "&c;", "malformed_xml 1:1"),
    ("[<!ENTITY a SYSTEM 'file:///etc/passwd'>]", "&a;", "malformed_xml 1:1"),
    ("[<!ENTITY a SYSTEM 'http://localhost/a'>]", "&a;", "malformed_xml 1:1"),
    ("[<!ENTITY % a SYSTEM 'http://localhost/a'> %a;]", "T", "malformed_xml 1:1"),
    ("[<!ATTLIST target state CDATA 'new'>]", "T", "malformed_xml 1:1"),
    ("SYSTEM 'http://localhost/a.dtd' []", "T", "malformed_xml 1:1"),
    // What another file may declare is not known: neither left out nor guessed.
    ("SYSTEM 'http://localhost/a.dtd'", "T&a;", "malformed_xml 4:10"),
    ("SYSTEM 'http://localhost/a.dtd'", "T<g id='&a;'/>", "malformed_xml 4:17"),
    ("PUBLIC 'a' 'http://localhost/a.dtd'", "T&nbsp;", "malformed_xml 4:10"),
    ("", "T&a", "malformed_xml 4:10"),
  ])
  func whatADocumentTypeDeclaresIsRefused(type: String, text: String, expected: String) {
    let result = read(exchange("<!DOCTYPE xliff \(type)>", text))
    #expect(result.diagnostics.map(\.summary) == ["error \(expected)"])
    #expect(result.tables.isEmpty)
  }

  @Test(arguments: [
    "<!DOCTYPE xliff>", "<!DOCTYPE xliff SYSTEM 'file:///etc/passwd'>",
    "<!DOCTYPE xliff PUBLIC \"-//A//B [C] > D//EN\" \"http://localhost/a.dtd\">",
  ])
  func aDocumentTypeWithoutDeclarationsIsReadAndNotFollowed(type: String) {
    expectText("T", in: read(exchange(type, "T")))
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ("<plist>", "<dict><key>k</key>", "", "limit_exceeded 1:9194"),
      (unit, "k", "'><source>S</source></trans-unit></body></file></xliff>", "limit_exceeded 2:1"),
      (
        unit + "k'><source>", "S", "</source></trans-unit></body></file></xliff>",
        "limit_exceeded 2:1"
      ),
      ("<", "x", "/>", "malformed_xliff 1:1"),
      ("<a b='", "x", "", "malformed_xml 1:7"), ("<xliff>&", "x", ";</xliff>", "malformed_xml 1:8"),
      ("<xliff>&#", "0", "65;</xliff>", "malformed_xml 1:8"),
      ("<xliff>\n <!--", "x", "", "malformed_xml 2:2"),
      ("<xliff>\n <![CDATA[", "x", "", "malformed_xml 2:2"),
      ("<xliff>\n <?", "x", "", "malformed_xml 2:2"),
      ("\n<!DOCTYPE a '", "x", "", "malformed_xml 2:1"),
    ])
  func aMegabyteOfOneThingIsRefusedWhereItBegins(
    start: String, thing: String, end: String, expected: String
  ) {
    let middle = String(repeating: thing, count: (1 << 20) / thing.utf8.count)
    let path = start == "<plist>" ? "de.lproj/L.stringsdict" : "de.xliff"
    let result = read(Array((start + middle + end).utf8), path: path)
    #expect(result.diagnostics.map(\.summary) == ["error \(expected)"])
    #expect(result.catalog.keyCount == 0)
  }

  @Test func theFirstAttributeTooManyEndsTheReading() {
    let attributes = (0..<100_000).map { " a\($0)=''" }.joined()
    let result = read(Array("<xliff\(attributes)/>".utf8))
    #expect(result.diagnostics.map(\.summary) == ["error limit_exceeded 1:446"])
  }

  @Test(
    arguments: [
      // A mark says in which encoding the bytes are, whatever name is left in the declaration.
      ("UTF-8", Encoding.utf8, nil), ("utf8", .utf8, nil), ("US-ASCII", .utf8, nil),
      ("UTF-16", .utf8, nil), ("UTF-8", .utf8Marked, nil), ("UTF-16", .utf16LittleEndian, nil),
      ("utf-16le", .utf16LittleEndian, nil), ("UTF-16BE", .utf16BigEndian, nil),
      ("UTF-8", .utf16BigEndian, nil), ("UTF-32", .utf32LittleEndian, nil),
      // What would be read as other characters than are meant.
      ("UTF-7", .utf8, "1:21"), ("x", .utf16LittleEndian, "1:21"), ("GB18030", .latin1, "1:21"),
      ("UTF-8", .latin1, "4:9"), ("UTF-8", .overlong, "4:9"),
      // Encodings of one byte for each character.
      ("ISO-8859-1", .latin1, nil), ("iso-8859-15", .latin1, nil), ("Windows-1252", .latin1, nil),
    ] as [(String, Encoding, String?)])
  func onlyWhatIsCertainOfAnEncodingIsRead(
    name: String, encoding: Encoding, refused: String?
  ) {
    let text = exchange("<?xml version='1.0' encoding='\(name)'?>", "é")
    let result = read(encoding.bytes(of: String(decoding: text, as: UTF8.self)))
    if let refused {
      #expect(result.diagnostics.map(\.summary) == ["error invalid_encoding \(refused)"])
    } else {
      expectText("é", in: result)
    }
  }

  /// A tool that writes a file anew leaves the old name in it.
  @Test(arguments: ["ISO-8859-1", "windows-1252", "Shift_JIS"])
  func aFileInUTF8IsReadAsSuchWithAWarning(name: String) {
    let result = read(exchange("<?xml version='1.0' encoding='\(name)'?>", "é"))
    #expect(result.diagnostics.map(\.summary) == ["warning encoding_mismatch 1:1"])
    #expect(result.catalog.items().contains { $0.entry == .text("é") })
  }

  @Test(arguments: [
    ("macintosh", 0x8E, "é"), ("x-mac-roman", 0xF0, "\u{F8FF}"), ("macintosh", 0xFF, "ˇ"),
    ("windows-1252", 0x80, "€"), ("cp1252", 0x9F, "Ÿ"), ("ISO-8859-15", 0xA4, "€"),
    ("latin-9", 0xBE, "Ÿ"), ("latin1", 0xA4, "¤"), ("windows-1252", 0xE9, "é"),
  ])
  func eachByteIsTheCharacterOfItsEncoding(name: String, byte: UInt8, text: String) throws {
    let start = "<?xml version='1.0' encoding='\(name)'?><plist><dict><key>k</key><string>"
    let file = SourceFile(
      path: "fr.lproj/L.stringsdict",
      bytes: Array(start.utf8) + [byte] + Array("</string></dict></plist>".utf8))
    let catalog = CatalogImporter.read([file], developmentLanguage: "fr").catalog
    #expect(catalog.entry("k", table: "L", localization: "fr") == .text(text))
  }

  /// An encoding in which a file may be, or pretends to be.
  enum Encoding: Sendable {
    case utf8, utf8Marked, utf16LittleEndian, utf16BigEndian, utf16Unmarked, utf32LittleEndian
    case latin1, overlong

    func bytes(of text: String) -> [UInt8] {
      let units = Array(text.utf16)
      switch self {
      case .utf8: return Array(text.utf8)
      case .utf8Marked: return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
      case .utf16LittleEndian: return [0xFF, 0xFE] + Self.utf16Unmarked.bytes(of: text)
      case .utf16BigEndian:
        return [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      case .utf16Unmarked: return units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      case .utf32LittleEndian:
        return [0xFF, 0xFE, 0, 0] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8), 0, 0] }
      case .latin1: return units.map { UInt8(truncatingIfNeeded: $0) }
      // An é of three bytes instead of two.
      case .overlong: return units.flatMap { $0 < 0x80 ? [UInt8($0)] : [0xE0, 0x83, 0xA9] }
      }
    }
  }

  /// What is no XML to the letter, but what Apple's runtime reads and nothing else can be meant by.
  @Test(arguments: [
    ("", "a\u{1}b"), ("", "a&#1;b"), ("", "a\u{FFFF}b"), ("", "a]]>b"),
    ("<!DOCTYPE plist><!DOCTYPE plist>", "a"), ("<!DOCTYPE plist PUBLC 'a'>", "a"),
    ("\n<?xml version='1.0'?>", "a"), ("<?xml encoding='UTF-8'?>", "a"),
    ("<?xml version='1.0' encodin='UTF-8'?>", "a"), ("<?xml version='1.1'?>", "a"),
  ])
  func whatCoreFoundationReadsIsReadAsItDoes(before: String, text: String) throws {
    let list = "\(before)<plist><dict><key>k</key><string>\(text)</string></dict></plist>"
    let expected = try PropertyListSerialization.propertyList(
      from: Data(list.utf8), options: [], format: nil)
    let result = read(Array(list.utf8), path: "de.lproj/L.strings")
    #expect(result.diagnostics.isEmpty)
    let entry = result.catalog.entry("k", table: "L", localization: "de")
    #expect(entry == (expected as? [String: String])?["k"].map { .text($0) })
  }

  /// Each is a mistake of the hand in one line of a file of many lines.
  @Test(arguments: [
    ("Grün</targte>", "7:21"), ("Grün", "8:7"), ("Grün & Blau</target>", "7:22"),
    ("Grün 😀&nbsp;</target>", "7:23"), ("1 < 2</target>", "7:20"),
    ("<g a='é' a='b'/></target>", "7:26"), ("Grün <!-- 😀 </target>", "7:22"),
    ("é <![CDATA[ 😀 </target>", "7:19"), ("é <g a='b></target>", "7:27"),
    ("é <g a=b></target>", "7:24"), ("é </target >", nil),
  ])
  func aMistakeIsShownWhereItWasMadeInCharacters(text: String, place: String?) {
    let result = read(
      Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <xliff version="1.2">
          <file original="L.strings" source-language="en" target-language="de">
            <body>
              <trans-unit id="k">
                <source>Zoé 😀</source>
                <target>\(text)
              </trans-unit>
            </body>
          </file>
        </xliff>
        """.utf8))
    let expected = place.map { ["error malformed_xml \($0)"] } ?? []
    #expect(result.diagnostics.map(\.summary) == expected)
  }
}

private let unit =
  "<xliff><file original='L.strings' source-language='en'><body>\n<trans-unit id='"

/// A file with one text, behind what stands before its root element.
private func exchange(_ before: String, _ text: String) -> [UInt8] {
  Array(
    """
    \(before)
    <xliff version="1.2"><file original="L.strings" source-language="en" target-language="de"><body>
    <trans-unit id="k"><source>S</source>
    <target>\(text)</target></trans-unit></body></file></xliff>
    """.utf8)
}

private func read(_ bytes: [UInt8], path: String = "de.xliff") -> ImportResult {
  CatalogImporter.read([SourceFile(path: path, bytes: bytes)], developmentLanguage: "en")
}

private func expectText(_ text: String, in result: ImportResult) {
  #expect(result.diagnostics.isEmpty)
  #expect(result.catalog.entry("k", table: "L", localization: "de") == .text(text))
}
