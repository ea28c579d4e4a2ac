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
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, path.utf8.count <= Limits.pathBytes,
      components.allSatisfy({ !["", ".", ".."].contains($0) }),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }),
      let name = components.last
    else {
      throw Finding(
        offset: 0, code: .invalidPath,
        message: "The path must be relative, with '/' and without '.', '..' or empty parts.")
    }
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      throw Self.unsupported("The file name needs an extension.")
    }
    switch name[name.index(after: dot)...].lowercased() {
    case "strings": format = .strings
    case "stringsdict": format = .stringsDictionary
    case "xcstrings": format = .stringCatalog
    case "xliff", "xlf": format = .xliff
    default:
      throw Self.unsupported("Only .strings, .stringsdict, .xcstrings and .xliff are imported.")
    }
    table = String(name[..<dot])
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

  private static func unsupported(_ message: String) -> Finding {
    Finding(offset: 0, code: .unsupportedFormat, message: message)
  }
}
