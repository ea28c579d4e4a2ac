import ASCII
import Localization
import TestSupport
import Testing

@testable import CatalogFormats

/// A reading whose task is cancelled ends early, whatever the format.
@Suite(.timeLimit(.minutes(10))) struct CancelledReadingTests {
  private static let files: [(path: String, text: String)] = [
    ("en.lproj/L.strings", #""a" = "b";"#),
    (
      "en.lproj/L.stringsdict",
      "<plist><dict><key>a</key><string>b</string></dict></plist>"
    ),
    ("L.xcstrings", #"{"version": "1.0", "sourceLanguage": "en", "strings": {"a": {}}}"#),
    (
      "de.xliff",
      """
      <xliff version="1.2"><file original="en.lproj/L.strings" source-language="en">\
      <body><trans-unit id="a"><source>b</source></trans-unit></body></file></xliff>
      """
    ),
  ]

  private static func entries(of file: SourceFile, isCancelled: Bool) async -> Int {
    let contents = Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      let contents: FileContents =
        switch file.path.split(separator: ".").last {
        case "strings":
          StringsParser.read(file, localization: "en", table: "L", recordsPlaces: false)
        case "stringsdict":
          StringsDictionaryReader.read(file, localization: "en", table: "L", recordsPlaces: false)
        case "xcstrings": StringCatalogReader.read(file, table: "L", recordsPlaces: false)
        default: XLIFFReader.read(file, recordsPlaces: false)
        }
      return contents.tables.reduce(0) { $0 + $1.entries.count }
    }
    return await contents.value
  }

  @Test(arguments: files.indices)
  func noEntryIsReadForNobody(_ index: Int) async {
    let (path, text) = Self.files[index]
    let file = SourceFile(path: path, bytes: Array(text.utf8))
    #expect(await Self.entries(of: file, isCancelled: false) == 1)
    #expect(await Self.entries(of: file, isCancelled: true) == 0)
  }
}
