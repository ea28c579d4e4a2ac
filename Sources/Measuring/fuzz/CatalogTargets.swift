internal import ASCII
internal import CatalogFormats
internal import Localization

/// Reads a file beside another that holds the same keys in English, makes the catalog and fills
/// its texts.
func importFile(_ path: String, _ bytes: [UInt8]) {
  let files = [SourceFile(path: path, bytes: bytes), reference]
  // One input in eight: the lint asks ICU for each language's plurals, ten times a file's time.
  let lints = bytes.count % 8 == 0
  let result = CatalogImporter.read(files, developmentLanguage: "en", lints: lints)
  // One input in four: it doubles the time, and what differs once differs often.
  if bytes.count % 4 == 0 {
    let again = CatalogImporter.read(files, developmentLanguage: "en", lints: lints)
    promise(
      result.tables == again.tables && result.languages == again.languages
        && result.states == again.states && result.diagnostics == again.diagnostics,
      "Reading twice gives the same.")
  }
  for diagnostic in result.diagnostics {
    promise(
      diagnostic.line >= 1 && diagnostic.column >= 1, "Lines and columns count from 1.")
    promise(diagnostic.message.utf8.count < 4096, "A message is short.")
  }
  promise(result.diagnostics.count <= 1001, "Diagnostics are limited.")
  let catalog = result.catalog
  for language in catalog.languages { promise(LanguageTag(language) != nil, "A tag: \(language)") }
  for table in result.tables {
    let server = ServerFormatter(
      locale: table.localization, rules: catalog.pluralRules(table.localization))
    for (key, entry) in table.entries.sorted(by: { $0.key < $1.key }).prefix(8) {
      promise(!key.text.utf8.contains(0), "A key holds no U+0000.")
      use(entry, server)
    }
  }
}

/// What the lint compares a file with; the keys are those of the seeds.
private let reference = SourceFile(
  path: "en.lproj/Localizable.strings",
  bytes: Array(
    #"""
    "hello %@" = "%@ has %2$lld"; "one" = "%1$@"; "sent %lld" = "%1$@ sent %2$lld to %3$@";
    "a %@" = "%@ %lld"; "p" = "%d"; "k" = "%lld days"; "s" = "%@";
    """#.utf8))

private func use(_ entry: Entry, _ server: ServerFormatter) {
  for device in [DeviceClass.iphone, .mac] {
    guard let format = entry.format(for: device) else { continue }
    let uses = format.argumentUses
    promise(uses.allSatisfy { $0.argument >= 0 }, "Arguments count from 1.")
    for text in format.texts { promise(!text.utf8.contains(0), "A text holds no U+0000.") }
    for arguments in argumentLists { fill(format, arguments, server) }
    // A choice by device is the only entry that differs.
    guard case .devices = entry else { return }
  }
}

private let argumentLists: [[ArgumentValue]] = [
  [],
  [.integer(1)],
  [.string("Anna"), .integer(5), .decimal(1.5, text: "1,50", fractionDigits: 2), .string("0")],
]
