internal import ASCII
internal import Zip

/// The string files of a zip archive: of `.lproj` folders, string catalogs, or a whole export of
/// localizations from Xcode.
///
/// | entry | what becomes of it |
/// |---|---|
/// | `….xcloc/Localized Contents/fr.xliff` | read |
/// | anything else in a `.xcloc`: source contents, notes, screenshots | left alone |
/// | any other file of a format that is imported | read, by its path in the archive |
/// | a folder, `__MACOSX/…`, `.DS_Store`, `._…`, a file of another format | left alone |
/// | a path that is absolute or leads upwards | error |
enum CatalogArchive {
  /// Whether a file is an archive, by its extension.
  static func isArchive(_ file: SourceFile) -> Bool {
    file.path.utf8.suffix(4).map { $0 | 0x20 }.elementsEqual(".zip".utf8)
  }

  /// The files of an archive. `bytes` says how many bytes they may have; afterwards it has the
  /// rest.
  static func files(
    of archive: SourceFile, bytes: inout Int
  ) throws(Finding) -> [SourceFile] {
    let zip = try reading { () throws(ZipFault) in
      try ZipArchive(archive.bytes, maximumCount: Limits.archiveEntries)
    }
    var entries: [ZipArchive.Entry] = []
    for entry in zip.entries where try isRead(entry.path) { entries.append(entry) }
    guard !entries.isEmpty else {
      throw Finding(
        offset: 0, code: .emptyArchive, message: "The archive holds no file that is imported.")
    }
    // Before anything is made larger: an archive can stand for a thousand times its bytes.
    if let entry = entries.first(where: { $0.size > UploadLimits.fileBytes }) {
      throw Finding(
        offset: 0, code: .limitExceeded,
        message: "'\(entry.path.quoted)' is larger than \(UploadLimits.fileBytes) bytes.")
    }
    bytes -= entries.reduce(0) { $0 + $1.size }
    guard bytes >= 0 else {
      throw Finding(
        offset: 0, code: .limitExceeded,
        message: "The files are larger than \(UploadLimits.bytes) bytes.")
    }
    var files: [SourceFile] = []
    for entry in entries {
      try Finding.checkCancellation()
      let contents = try reading { () throws(ZipFault) in try zip.bytes(of: entry) }
      files.append(SourceFile(path: entry.path, bytes: contents))
    }
    return files
  }

  private static func reading<Read>(_ read: () throws(ZipFault) -> Read) throws(Finding) -> Read {
    do throws(ZipFault) {
      return try read()
    } catch {
      throw Finding(offset: 0, code: error.code, message: error.message)
    }
  }

  private static func isRead(_ path: String) throws(Finding) -> Bool {
    let isFolder = path.utf8.last == UInt8(ascii: "/")
    let components = try LocalizedPath.components(
      isFolder ? String(Substring(path.utf8.dropLast())) : path)
    guard !isFolder, !components.containsSpelling("__MACOSX"), let name = components.last,
      !name.hasBytes(atStart: "._"), let format = LocalizedPath.Format(of: name)
    else { return false }
    guard let export = components.firstIndex(where: { $0.hasBytes(atEnd: ".xcloc") }) else {
      return true
    }
    return format == .xliff && components[export + 1].isSpelled(like: "Localized Contents")
  }
}

extension ZipFault {
  fileprivate var code: Diagnostic.Code {
    switch reason {
    case .malformed: .malformedArchive
    case .unsupported: .unsupportedArchive
    case .tooLarge: .limitExceeded
    }
  }
}
