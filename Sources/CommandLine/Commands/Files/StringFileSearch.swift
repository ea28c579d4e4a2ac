internal import ASCII
internal import CatalogFormats
internal import Foundation
internal import Zip

/// Looks for string files in whatever Xcode makes: a project's folder, an export of localizations
/// (`.xcloc`), a built app (`.app`, `.xcarchive`, `.ipa`).
struct StringFileSearch {
  private var found = StringFiles()
  /// What is left out: as it was given, and its path from here.
  private var excluded: [(given: String, path: String)]
  /// The paths of it that were met.
  private var met: Set<String> = []
  private var entries = 0

  /// All string files at a place. Of a path in `excluded`, which counts from there, nothing is
  /// read.
  ///
  ///     App/ja.lproj, X.strings        leaves out App/ja.lproj/X.strings
  ///     Food.ipa, ./fr.lproj/          leaves out fr.lproj of the app
  ///     Food.xcodeproj, Old            leaves out Old beside the project
  ///
  /// - Parameter targets: The targets whose files are meant, as in ``StringFiles/keep(targets:)``.
  /// - Throws: ``Exit`` also when a path in `excluded` leaves nothing out.
  static func found(
    at path: String, excluding excluded: [String], targets: [String] = []
  ) throws(Exit) -> StringFiles {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    var search = StringFileSearch(excluded)
    try search.run(path)
    if let vain = search.excluded.first(where: { !search.met.contains($0.path) }) {
      throw Exit(
        ExitCode.usage,
        "--exclude \(vain.given) leaves nothing out: give a path as it is below \(path).")
    }
    search.found.files.sort { $0.path < $1.path }
    try search.found.keep(targets: targets)
    guard !search.found.files.isEmpty else {
      throw Exit(
        ExitCode.noInput,
        "\(path) holds no string files: .xcstrings, .xliff, or .strings and .stringsdict in .lproj."
      )
    }
    return search.found
  }

  private init(_ excluded: [String]) { self.excluded = excluded.map { (given: $0, path: $0) } }

  /// What is excluded counts from a folder.
  private mutating func exclude(from folder: String) {
    for index in excluded.indices {
      let parts = excluded[index].given.split(separator: "/").filter { $0 != "." }
      excluded[index].path = Self.path(folder, parts.joined(separator: "/"))
    }
  }

  /// File systems may spell a letter otherwise than the command line: both are one here.
  private mutating func isExcluded(_ path: String) -> Bool {
    guard excluded.contains(where: { $0.path == path }) else { return false }
    met.insert(path)
    return true
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  private mutating func run(_ path: String) throws(Exit) {
    guard let isFolder = Self.isFolder(path) else {
      throw Exit(ExitCode.noInput, "There is nothing at \(path).")
    }
    let parts = path.split(separator: "/").map(String.init)
    let name = parts.last ?? path
    let parent = path.hasPrefix("/") || parts.count > 1 ? Self.folder(of: path) : "."
    exclude(from: path)
    switch (name.split(separator: ".").last ?? "", isFolder) {
    case ("ipa", false): try readArchive(path)
    case ("app", true): try readApp(path)
    case ("xcarchive", true):
      let applications = path + "/Products/Applications"
      guard let app = try names(in: applications).first(where: { $0.hasSuffix(".app") }) else {
        throw Exit(ExitCode.noInput, "\(path) holds no app.")
      }
      try readApp("\(applications)/\(app)")
    case ("xcodeproj", true):
      exclude(from: parent)
      begin(parent)
      try walk(parent, [])
    case ("xcloc", true):
      begin(parent)
      try walk(path, [name])
    case (_, true):
      guard let localized = Self.localized(path) else {
        begin(path)
        return try walk(path, [])
      }
      begin(localized.parent)
      try walk(path, localized.folders)
    default:
      let folders = Self.localized(parent)?.folders ?? []
      let relative = (folders + [name]).joined(separator: "/")
      found.prefix = String(path.dropLast(relative.count))
      try found.add(
        relative, InputFile.bytes(path, limit: UploadLimits.bytes))
    }
  }

  /// The part of a folder's path that names the language of what is in it, and the folder in which
  /// that lies; `nil` when no folder does.
  ///
  ///     App/ja.lproj        App, [ja.lproj]
  ///     ja.lproj/Sub        ., [ja.lproj, Sub]
  ///     .                   .., [ja.lproj], within ja.lproj
  ///     App                 nil
  private static func localized(_ path: String) -> (parent: String, folders: [String])? {
    guard !path.isSpelled(like: ".") else {
      let name = URL(filePath: FileManager.default.currentDirectoryPath).lastPathComponent
      return name.hasSuffix(".lproj") ? ("..", [name]) : nil
    }
    let parts = path.split(separator: "/").map(String.init)
    guard let first = parts.lastIndex(where: { $0.hasSuffix(".lproj") }) else { return nil }
    let parent = parts[..<first].joined(separator: "/")
    let isAbsolute = path.hasPrefix("/")
    return (isAbsolute ? "/" + parent : parent.isEmpty ? "." : parent, Array(parts[first...]))
  }

  private mutating func begin(_ folder: String) {
    found.prefix = folder == "." ? "" : folder == "/" ? "/" : folder + "/"
  }

  private mutating func walk(_ folder: String, _ folders: [String]) throws(Exit) {
    for name in try names(in: folder) {
      entries += 1
      guard entries <= CommandLimits.walkedEntries else {
        throw Exit(ExitCode.data, "\(folder): there are too many files; name a folder further in.")
      }
      let path = Self.path(folder, name)
      let relative = (folders + [name]).joined(separator: "/")
      guard !isExcluded(path), let isFolder = Self.isFolder(path) else { continue }
      switch PathRole(name, isFolder: isFolder, in: folders) {
      case .folder:
        // A link may lead back up.
        if !Self.isLink(path) { try walk(path, folders + [name]) }
      case .strings:
        try found.add(relative, InputFile.bytes(path, limit: UploadLimits.fileBytes))
      case .project:
        let file = path + "/project.pbxproj"
        guard Self.isFolder(file) == false else { continue }
        let bytes = try InputFile.bytes(file, limit: CommandLimits.projectBytes)
        found.add(XcodeProject(String(decoding: bytes, as: UTF8.self)))
      case .other: continue
      }
    }
  }

  /// The main bundle of a built app: of iOS with its folders at the top, of macOS further in.
  private mutating func readApp(_ path: String) throws(Exit) {
    let contents = Self.isFolder(path + "/Contents") == true ? "/Contents" : ""
    let resources = path + (contents.isEmpty ? "" : "/Contents/Resources")
    begin(resources)
    if let list = InfoPropertyList(
      try InputFile.bytes(path + contents + "/Info.plist", limit: UploadLimits.fileBytes))
    {
      found.add(list)
    }
    for folder in try names(in: resources) where folder.hasSuffix(".lproj") {
      guard !isExcluded("\(resources)/\(folder)") else { continue }
      for name in try names(in: "\(resources)/\(folder)") {
        let file = "\(resources)/\(folder)/\(name)"
        guard PathRole(name, isFolder: false, in: [folder]) == .strings, !isExcluded(file) else {
          continue
        }
        try found.add(
          "\(folder)/\(name)", InputFile.bytes(file, limit: UploadLimits.fileBytes))
      }
    }
  }

  /// `Payload/Food.app/fr.lproj/Localizable.strings`, and no app that is inside of the app.
  private mutating func readArchive(_ path: String) throws(Exit) {
    let bytes = try InputFile.bytes(path, limit: CommandLimits.archiveBytes)
    found.prefix = path + "/"
    do throws(ZipFault) {
      let archive = try ZipArchive(bytes, maximumCount: CommandLimits.archiveEntries)
      for entry in archive.entries {
        let parts = entry.path.split(separator: "/").map(String.init)
        guard parts.count > 2, parts[0] == "Payload", parts[1].hasSuffix(".app"),
          entry.size <= UploadLimits.fileBytes
        else { continue }
        if parts.count == 3, parts[2] == "Info.plist" {
          if let list = InfoPropertyList(try archive.bytes(of: entry)) { found.add(list) }
        } else if parts.count == 4, parts[2].hasSuffix(".lproj"),
          PathRole(parts[3], isFolder: false, in: [parts[2]]) == .strings,
          !isExcluded("\(path)/\(parts[2])"), !isExcluded("\(path)/\(parts[2])/\(parts[3])")
        {
          let contents = try archive.bytes(of: entry)
          found.files.append(.init(path: parts[2...].joined(separator: "/"), bytes: contents))
        }
      }
    } catch {
      throw Exit(ExitCode.data, "\(path): \(error.message)")
    }
  }

  private func names(in folder: String) throws(Exit) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      throw Exit(ExitCode.noInput, "\(folder) cannot be read: \(InputFile.reason()).")
    }
  }

  /// Whether a path leads to a folder; `nil` when it leads nowhere.
  private static func isFolder(_ path: String) -> Bool? {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return isThere ? isFolder.boolValue : nil
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  private static func folder(of path: String) -> String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}
