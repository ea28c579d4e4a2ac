/// What a file or folder of a project is to somebody who looks for string files.
enum PathRole: Equatable {
  /// A string file.
  case strings
  /// A folder that may hold some.
  case folder
  /// A project of Xcode, which knows build number and development language.
  case project
  /// Nothing of interest.
  case other

  /// Folders of made and of others' things.
  private static let passedOver: Set = [
    "build", "DerivedData", "Pods", "Carthage", "SourcePackages", "node_modules",
  ]
  /// What Xcode shows as one thing, and makes or fills itself.
  private static let closed: Set = [
    "app", "appex", "framework", "xcframework", "xcassets", "xcarchive", "xcdatamodeld", "xctest",
    "xcresult", "dSYM", "xcworkspace", "playground",
  ]

  /// The role of something by its name and the folders that it is in.
  ///
  ///     fr.lproj/Localizable.strings, App/Localizable.xcstrings    string files
  ///     fr.xcloc/Localized Contents/fr.xliff                       a string file
  ///     fr.xcloc/Source Contents/en.lproj/Main.strings             other
  ///     Settings.strings                                           other: no .lproj folder
  init(_ name: String, isFolder: Bool, in folders: [String]) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let suffix = parts.count > 1 ? String(parts[parts.count - 1]) : ""
    if name.hasPrefix(".") || Self.closed.contains(suffix) {
      self = .other
    } else if isFolder, suffix == "xcodeproj" {
      self = .project
    } else if folders.last?.hasSuffix(".xcloc") == true {
      self = isFolder && name == "Localized Contents" ? .folder : .other
    } else if isFolder {
      self = Self.passedOver.contains(name) ? .other : .folder
    } else {
      switch suffix.lowercased() {
      case "xcstrings", "xliff", "xlf": self = .strings
      case "strings", "stringsdict":
        self = folders.contains { $0.hasSuffix(".lproj") } ? .strings : .other
      default: self = .other
      }
    }
  }
}
