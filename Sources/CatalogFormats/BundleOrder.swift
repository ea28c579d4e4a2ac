/// Which of several bundles with one table counts: the app's own comes first.
///
/// Notifications show the strings of the app's main bundle, but a project and an export of it also
/// hold those of its extensions. Which bundle is the app's own, no file says; by its folder it is
///
/// 1. one in a folder that is named as the app, or as its bundle identifier ends,
/// 2. one that is not named like an extension or a test,
/// 3. the one with the most texts,
/// 4. the one with the shorter name: `Food` before `Share`.
struct BundleOrder {
  private struct Rank: Comparable {
    let bundle: String
    /// The first that differs decides, the lower one being better.
    let marks: [Int]

    static func < (a: Rank, b: Rank) -> Bool {
      a.marks == b.marks ? a.bundle < b.bundle : a.marks.lexicographicallyPrecedes(b.marks)
    }
  }

  private let places: [String: Int]

  /// The order of the bundles of these tables.
  init(_ tables: some Sequence<FileTable>, appNames: [String]) {
    var texts: [String: Int] = [:]
    for table in tables { texts[table.bundle, default: 0] += table.entries.count }
    let names = Set(
      appNames.flatMap { [$0[...]] + $0.split(separator: ".").suffix(1) }.map(Self.form)
    ).subtracting([""])
    let ranks = texts.map { bundle, count in
      let folders = bundle.split(separator: "/").map(Self.form)
      let isNamed = folders.contains { names.contains($0) }
      let isApart = folders.contains { folder in Self.words.contains { folder.contains($0) } }
      return Rank(
        bundle: bundle, marks: [isNamed ? 0 : 1, isApart ? 1 : 0, -count, bundle.utf8.count])
    }
    places = Dictionary(
      uniqueKeysWithValues: ranks.sorted().enumerated().map { ($1.bundle, $0) })
  }

  /// The place of a bundle, 0 being the app's own.
  subscript(bundle: String) -> Int { places[bundle] ?? 0 }

  /// A name as it is compared: `Go Map!!` is `gomap`.
  private static func form(_ name: Substring) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// What folders of bundles are called that an app never reads strings from.
  private static let words = [
    "clip", "extension", "intent", "keyboard", "notification", "test", "watch", "widget",
  ]
}
