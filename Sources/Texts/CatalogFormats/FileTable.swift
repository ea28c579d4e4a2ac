internal import ASCII
internal import Localization

/// What one file says of one table in one localization, before the files are put together.
struct FileTable {
  /// The localization as the file spells it: `zh_Hans`, `Base`.
  var localization: String
  /// The table's name, without extension.
  var name: String
  /// The folder of the bundle that it belongs to, see ``LocalizedPath/bundle(of:)``.
  var bundle = ""
  /// Where the texts come from; of two entries for one key the higher one counts.
  var origin: Origin
  /// The entries by key.
  var entries: [Spelling: Entry] = [:]
  /// Keys for which it is not certain what a device finds, see `StringTable`.
  var uncertain: Set<Spelling> = []
  /// Keys whose entries cannot be read, in whole or in part: nobody knows what a device shows
  /// under them.
  var leftOut: Set<Spelling> = []
  /// The only device that reads the file; nil for all, see ``TableName``.
  private(set) var device: DeviceClass?
  /// Whether the file lies outside of any `.lproj`.
  var isOutside = false
  /// Where each key stands, for the diagnostics that compare files; empty unless asked for.
  var places: [Spelling: Place] = [:]
  /// How many keys have a text of each state, as the file spells it.
  private(set) var states: [String: Int] = [:]

  /// Decides which file of one bundle, origin and language a device reads: the one with the lower
  /// rank.
  var rank: Int { (isOutside ? 0 : 2) + (device == nil ? 1 : 0) }

  /// Leaves the table to one device, if there is one.
  mutating func restrict(to device: DeviceClass?) {
    guard let device else { return }
    self.device = device
    entries = entries.compactMapValues { Entry(devices: [device: $0]) }
  }

  /// Counts a key whose texts have these states.
  mutating func count(_ found: Set<String>) {
    for state in found.lazy.map(\.quoted).sorted() {
      let isCounted = states[state] != nil || states.count < Limits.states
      states[isCounted ? state : "other", default: 0] += 1
    }
  }

  /// Whether there are keys, and none of them translated: Xcode compiles no file of such a table,
  /// and its language does not count as a language of the bundle because of it.
  var isUntranslated: Bool {
    entries.isEmpty && uncertain.isEmpty && leftOut.isEmpty && !states.isEmpty
  }

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
    /// The `<target>` texts of an XLIFF file: a translator's text replaces the earlier one.
    case exchangeTarget
    /// The same for a `.stringsdict`.
    case exchangeTargetDictionary

    /// Whether it holds the texts that others were translated from.
    var isExchangeSource: Bool { group == 0 }

    /// 0 for sources of an exchange, 1 for files, 2 for a translator's texts.
    var group: Int { rawValue / 2 }

    static func < (a: Origin, b: Origin) -> Bool { a.rawValue < b.rawValue }
  }
}

/// A place in a file, both counted from 1.
struct Place: Hashable {
  var line: Int
  var column: Int
}

/// The result of reading one file.
struct FileContents {
  /// The tables; empty when the file as a whole is rejected.
  var tables: [FileTable] = []
  /// Errors and warnings in order of place.
  var diagnostics: [Diagnostic] = []
  /// Texts that cannot be read and belong to none of these tables.
  var textsLeftOut = 0

  /// Whether the file as a whole cannot be read.
  var isRejected: Bool { tables.isEmpty && diagnostics.contains { $0.severity == .error } }

  /// How many entries cannot be read, though the file can.
  var entriesLeftOut: Int { tables.reduce(textsLeftOut) { $0 + $1.leftOut.count } }
}
