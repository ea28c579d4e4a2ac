internal import ASCII

/// Given files that take the place of some stored files, while the other stored files stay.
///
/// | there | given | takes the place of |
/// |---|---|---|
/// | `App/fr.lproj/Menu.strings` | the same | it |
/// | `App/fr.lproj/Menu.strings` | `fr.lproj/Menu.strings` | it, and gets its path |
/// | `fr.lproj/Menu.strings` | `App/fr.lproj/Menu.strings` | it, and gets its path |
/// | `App/fr.lproj/Menu.strings` | `App/ja.lproj/Menu.strings` | none, and is one more |
/// | `App/fr.lproj/A.strings`, `Clock/fr.lproj/A.strings` | `fr.lproj/A.strings` | an error |
struct FileReplacement {
  /// All files: the stored files that stay, and the given files.
  private(set) var files: [SourceFile]
  /// Given files that may be meant for several stored files, with the paths of two of these.
  private(set) var ambiguous: [(file: SourceFile, paths: [String])] = []

  /// It ends early when its task is cancelled.
  init(of stored: [SourceFile], by given: [SourceFile]) {
    let exact = Set(given.map { Spelling($0.path) })
      .intersection(stored.map { Spelling($0.path) })
    // Stored files with other names are never meant.
    let others = Dictionary(grouping: stored.map(\.path).filter { !exact.contains($0) }) {
      Spelling($0.lastComponent)
    }
    var replaced = exact
    files = []
    for file in given {
      guard !Task.isCancelled else { break }
      var alike: [String] = []
      for path in others[Spelling(file.path.lastComponent), default: []]
      where alike.count < 2 && (path.isEnd(of: file.path) || file.path.isEnd(of: path)) {
        alike.append(path)
      }
      if exact.contains(file.path) || alike.isEmpty {
        files.append(file)
      } else if alike.count == 1 {
        files.append(SourceFile(path: alike[0], bytes: file.bytes))
        replaced.insert(alike[0])
      } else {
        ambiguous.append((file, alike))
      }
    }
    files += stored.filter { !replaced.contains($0.path) }
    files.sort { Spelling($0.path) < Spelling($1.path) }
  }
}

extension String {
  /// Whether a longer path ends with this one.
  fileprivate func isEnd(of path: String) -> Bool {
    let folder = path.utf8.dropLast(utf8.count)
    return folder.last == UInt8(ascii: "/") && path.hasBytes(atEnd: self)
  }

  /// The text behind the last slash.
  fileprivate var lastComponent: String {
    String(Substring(utf8.split(separator: UInt8(ascii: "/")).last ?? utf8[...].suffix(0)))
  }
}
