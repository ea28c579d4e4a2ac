internal import ASCII
internal import Localization

/// What a path in an Xcode project says about a file: `App/zh_Hans.lproj/Localizable.strings` is
/// the table `Localizable` of the localization `zh_Hans`, in the format `strings`.
struct LocalizedPath: Equatable {
  /// The localization; nil for the formats that hold several.
  let localization: String?
  /// The table; an XLIFF file names its tables inside.
  let table: TableName
  let format: Format

  /// The localization of a table outside of any `.lproj`, which CFBundle finds first in every
  /// language.
  static let everywhere = ""

  enum Format: Equatable {
    case strings
    case stringsDictionary
    case stringCatalog
    case xliff
  }

  /// Reads a path; the last folder that ends in `.lproj` names the localization.
  ///
  /// - Parameter bundles: The folders that hold an `.lproj`: a table may lie beside that.
  init(_ path: String, bundles: Set<Spelling> = []) throws(Finding) {
    let components = try Self.components(path)
    let name = components.last ?? ""
    guard let format = Format(of: name) else {
      throw Finding(
        offset: 0, code: .unsupportedFormat,
        message: "Only .strings, .stringsdict, .xcstrings, .xliff and .zip are imported.")
    }
    self.format = format
    table = TableName(name[...].lastDot.map { name[..<$0] } ?? "")
    guard format == .strings || format == .stringsDictionary else {
      localization = nil
      return
    }
    let folder = components.dropLast().last { $0.hasBytes(atEnd: ".lproj") }
    if folder == nil, bundles.contains(Self.bundle(of: path)) {
      localization = Self.everywhere
      return
    }
    guard let localization = folder.map({ String(Substring($0.utf8.dropLast(6))) }),
      LanguageTag(localization) != nil
    else {
      throw Finding(
        offset: 0, code: .noLocalization,
        message: "The file must lie in a folder named after its localization, like fr.lproj.")
    }
    self.localization = localization
  }

  /// The folders of these files that hold an `.lproj`.
  static func bundles(of files: some Sequence<SourceFile>) -> Set<Spelling> {
    files.reduce(into: []) { bundles, file in
      let bundle = bundle(of: file.path)
      let folders = file.path.parts(between: "/").dropLast().joined(separator: "/")
      if !folders.isSpelled(like: bundle) { bundles.insert(bundle) }
    }
  }

  /// The folder of the bundle that a file of this path is compiled into, as far as a path tells.
  ///
  ///     Food/fr.lproj/Localizable.strings    Food
  ///     Food/Localizable.xcstrings           Food
  ///     fr.lproj/Localizable.strings         (none)
  static func bundle(of path: String) -> String {
    let folders = path.parts(between: "/").dropLast()
    return folders.prefix { !$0.hasBytes(atEnd: ".lproj") }.joined(separator: "/")
  }

  /// The parts of a path, at least one, none of which leads elsewhere.
  static func components(_ path: String) throws(Finding) -> [String] {
    let isLong = path.utf8.count > Limits.pathBytes
    let components = isLong ? [] : path.parts(between: "/", keepsEmpty: true)
    guard !path.isEmpty, !isLong,
      components.allSatisfy({ !["", ".", ".."].containsSpelling($0) }),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
    else {
      throw Finding(
        offset: 0, code: .invalidPath,
        message: "The path must be relative, with '/' and without '.', '..' or empty parts.")
    }
    return components
  }
}

/// The name of a table, and the devices that read it from this file.
///
///     Localizable          Localizable
///     Localizable~ipad     Localizable, on an iPad, in place of the file without `~ipad`
///
/// Source: CFBundle_Resources.c, CFBundle_InfoPlist.c: an iPod reads the files of an iPhone.
struct TableName: Equatable {
  let text: String
  /// The only device that reads it; nil for all.
  let device: DeviceClass?

  init(_ name: Substring) {
    let mark = name.utf8.lastIndex(of: UInt8(ascii: "~"))
    let suffix = mark.map { String(Substring(name.utf8[$0...].dropFirst())) } ?? ""
    device = Self.devices.first { $0.rawValue.isSpelled(like: suffix) }
    text = String(device == nil ? name : name[..<(mark ?? name.endIndex)])
  }

  private static let devices: [DeviceClass] = [.iphone, .ipad, .mac, .applewatch, .appletv]
}

extension LocalizedPath.Format {
  /// The format that a file's name says; nil for one that is not imported.
  init?(of name: String) {
    guard let dot = name[...].lastDot, dot > name.startIndex,
      case let ending = String(Substring(name.utf8[dot...].dropFirst())),
      let format = Self.endings.first(where: { ending.isWord($0.key) })?.value
    else { return nil }
    self = format
  }

  private static let endings: KeyValuePairs<String, Self> = [
    "strings": .strings, "stringsdict": .stringsDictionary, "xcstrings": .stringCatalog,
    "xliff": .xliff, "xlf": .xliff,
  ]
}

extension Substring {
  /// The place of the last dot. By bytes: from the back, characters take quadratic time to find.
  var lastDot: Index? { utf8.lastIndex(of: UInt8(ascii: ".")) }
}
