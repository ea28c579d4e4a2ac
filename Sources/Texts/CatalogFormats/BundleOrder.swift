internal import ASCII

/// Decides which of several bundles with one table counts: the app's own comes first.
///
/// Notifications show the strings of the app's main bundle, but a project and an export of it also
/// hold those of its extensions. No file says which bundle is the app's own. By their folders these
/// bundles come first, in this order:
///
/// 1. a bundle in a folder that is named as the app, or as its bundle identifier ends,
/// 2. a bundle that is not named like an extension or a test, nor a `.bundle`, `.framework` or the
///    like,
/// 3. a bundle that lies in no other bundle,
/// 4. the bundle with the most texts,
/// 5. the bundle with the shorter name: `Food` before `Share`.
struct BundleOrder {
  private struct Rank: Comparable {
    let bundle: Spelling
    /// The first mark that differs decides; the lower one is better.
    let marks: [Int]

    static func < (a: Rank, b: Rank) -> Bool {
      a.marks == b.marks ? a.bundle < b.bundle : a.marks.lexicographicallyPrecedes(b.marks)
    }
  }

  private let places: [Spelling: Int]

  /// The order of the bundles of these tables.
  init(_ tables: some Sequence<FileTable>, appNames: [String]) {
    var texts: [Spelling: Int] = [:]
    for table in tables { texts[Spelling(table.bundle), default: 0] += table.entries.count }
    let names = Set(
      appNames.flatMap { [$0] + $0.parts(between: ".").suffix(1) }.map(Self.form)
    ).subtracting([""])
    let inner = Self.inner(texts.keys)
    let ranks = texts.map { bundle, count in
      let folders = bundle.text.parts(between: "/")
      let nested = folders.lastIndex(where: Self.isNested)
      let isNamed = folders[(nested.map { $0 + 1 } ?? 0)...].contains { folder in
        names.contains(
          Self.form(folder.hasBytes(atEnd: ".app") ? String(folder.dropLast(4)) : folder))
      }
      let isApart =
        nested != nil
        || folders.lazy.map(Self.form).contains(where: Self.hasWord)
      return Rank(
        bundle: bundle,
        marks: [
          isNamed ? 0 : 1, isApart ? 1 : 0, inner.contains(bundle) ? 1 : 0, -count,
          bundle.text.utf8.count,
        ])
    }
    places = Dictionary(
      uniqueKeysWithValues: ranks.sorted().enumerated().map { ($1.bundle, $0) })
  }

  /// The place of a bundle, 0 being the app's own.
  subscript(bundle: String) -> Int { places[bundle] ?? 0 }

  /// The bundles that lie in another one.
  private static func inner(_ bundles: some Sequence<Spelling>) -> Set<Spelling> {
    var inner: Set<Spelling> = []
    var outer: [Spelling] = []
    // With a slash at the end, the folders in a folder come directly behind it, and no others
    // between.
    for folder in bundles.map({ Spelling($0.text.isEmpty ? "" : $0.text + "/") }).sorted() {
      while let last = outer.last, !folder.text.hasBytes(atStart: last.text) {
        outer.removeLast()
      }
      if !outer.isEmpty { inner.insert(String(folder.text.dropLast())) }
      outer.append(folder)
    }
    return inner
  }

  /// A name as it is compared: `Go Map!!` is `gomap`.
  private static func form(_ name: String) -> Spelling {
    Spelling(name.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  /// Whether a name has one of the words, by its bytes.
  private static func hasWord(_ name: Spelling) -> Bool {
    let bytes = Array(name.text.utf8)
    return words.contains { bytes.contains($0) }
  }

  /// Words in the names of folders whose bundles an app never reads strings from.
  private static let words = [
    "clip", "extension", "intent", "keyboard", "notification", "test", "watch", "widget",
  ].map { Array($0.utf8) }

  /// Whether a folder is a bundle that lies in an app, and not the app itself.
  private static func isNested(_ folder: String) -> Bool {
    [".appex", ".bundle", ".framework", ".xcframework", ".xctest"].contains {
      folder.hasBytes(atEnd: $0)
    }
  }
}
