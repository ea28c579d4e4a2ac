internal import ASCII
internal import Localization

/// What one file says of one table in one localization, before the files are put together.
struct FileTable {
  /// The localization as the file spells it: `zh_Hans`, `Base`.
  var localization: String
  /// The table's name, without extension.
  var name: String
  /// Where the texts come from; of two entries for one key the higher one counts.
  var origin: Origin
  /// The entries by key.
  var entries: [Spelling: Entry] = [:]
  /// Keys of which it is not certain what a device finds, see `StringTable`.
  var uncertain: Set<Spelling> = []
  /// Where each key stands, for the diagnostics that compare files; empty unless asked for.
  var places: [Spelling: Place] = [:]
  /// How many translation units there are of each state, as the file spells it.
  var states: [String: Int] = [:]

  /// Whether there are units, and none of them translated: Xcode compiles no file of it, and the
  /// language is none of the bundle's on its account.
  var isUntranslated: Bool { entries.isEmpty && uncertain.isEmpty && !states.isEmpty }

  /// The kinds of file, the weakest first.
  enum Origin: Int, Comparable {
    /// The `<source>` texts of an XLIFF file: they stand in for the files they came from.
    case exchangeSource
    /// The same from a `.stringsdict`.
    case exchangeSourceDictionary
    /// `.strings` and `.xcstrings`.
    case strings
    /// `.stringsdict`: on Apple's systems it beats `.strings`.
    case stringsDictionary
    /// The `<target>` texts of an XLIFF file: what a translator sent replaces what was there.
    case exchangeTarget
    /// The same for a `.stringsdict`.
    case exchangeTargetDictionary

    /// Whether it is what others were translated from.
    var isExchangeSource: Bool { self <= .exchangeSourceDictionary }

    static func < (a: Origin, b: Origin) -> Bool { a.rawValue < b.rawValue }
  }
}

/// A place in a file, both counted from 1.
struct Place: Hashable {
  var line: Int
  var column: Int
}

/// What a file yields.
struct FileContents {
  /// The tables; empty when the file as a whole is rejected.
  var tables: [FileTable] = []
  /// Errors and warnings in order of place.
  var diagnostics: [Diagnostic] = []
}
