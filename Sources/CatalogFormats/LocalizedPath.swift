internal import Localization

/// What a path in an Xcode project says about a file: `App/zh_Hans.lproj/Localizable.strings` is
/// the table `Localizable` of the localization `zh_Hans`, in the format `strings`.
struct LocalizedPath: Equatable {
  /// The localization; nil for the formats that hold several.
  let localization: String?
  /// The file's name without extension; an XLIFF file names its tables inside.
  let table: String
  let format: Format

  enum Format: Equatable {
    case strings
    case stringsDictionary
    case stringCatalog
    case xliff
  }

  /// Reads a path; the last folder that ends in `.lproj` names the localization.
  init(_ path: String) throws(Finding) {
    let components = try Self.components(path)
    let name = components.last ?? ""
    guard let format = Format(of: name) else {
      throw Finding(
        offset: 0, code: .unsupportedFormat,
        message: "Only .strings, .stringsdict, .xcstrings, .xliff and .zip are imported.")
    }
    self.format = format
    table = name.lastDot.map { String(name[..<$0]) } ?? ""
    guard format == .strings || format == .stringsDictionary else {
      localization = nil
      return
    }
    let folder = components.dropLast().last { $0.hasSuffix(".lproj") }
    guard let localization = folder?.dropLast(".lproj".count),
      LanguageTag(String(localization)) != nil
    else {
      throw Finding(
        offset: 0, code: .noLocalization,
        message: "The file must lie in a folder named after its localization, like fr.lproj.")
    }
    self.localization = String(localization)
  }

  /// The folder of the bundle that a file of this path is compiled into, as far as a path tells.
  ///
  ///     Food/fr.lproj/Localizable.strings    Food
  ///     Food/Localizable.xcstrings           Food
  ///     fr.lproj/Localizable.strings         (none)
  static func bundle(of path: String) -> String {
    let folders = path.split(separator: "/").dropLast()
    return folders.prefix { !$0.hasSuffix(".lproj") }.joined(separator: "/")
  }

  /// The parts of a path, at least one, none of which leads elsewhere.
  static func components(_ path: String) throws(Finding) -> [Substring] {
    let isLong = path.utf8.count > Limits.pathBytes
    let components =
      isLong ? [] : path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, !isLong,
      components.allSatisfy({ !["", ".", ".."].contains($0) }),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
    else {
      throw Finding(
        offset: 0, code: .invalidPath,
        message: "The path must be relative, with '/' and without '.', '..' or empty parts.")
    }
    return components
  }
}

extension LocalizedPath.Format {
  /// The format that a file's name says; nil for one that is not imported.
  init?(of name: Substring) {
    guard let dot = name.lastDot, dot > name.startIndex else { return nil }
    switch name[name.index(after: dot)...].lowercased() {
    case "strings": self = .strings
    case "stringsdict": self = .stringsDictionary
    case "xcstrings": self = .stringCatalog
    case "xliff", "xlf": self = .xliff
    default: return nil
    }
  }
}

extension Substring {
  /// The place of the last dot. By bytes: from the back, characters take quadratic time to find.
  var lastDot: Index? { utf8.lastIndex(of: UInt8(ascii: ".")) }
}
