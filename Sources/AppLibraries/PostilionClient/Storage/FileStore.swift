import Foundation

/// A file that is replaced as a whole and, on Apple's systems, can be read after the first unlock
/// of the device.
struct FileStore: StateStore {
  let url: URL
  /// Whether it comes to another phone with a backup.
  var isBackedUp = false

  func load() throws -> Data? {
    do {
      return try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
  }

  func save(_ state: Data) throws {
    let directory = url.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var options: Data.WritingOptions = [.atomic]
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      options.insert(.completeFileProtectionUntilFirstUserAuthentication)
    #endif
    try state.write(to: url, options: options)
    #if canImport(Darwin)
      var values = URLResourceValues()
      values.isExcludedFromBackup = !isBackedUp
      var file = url
      try file.setResourceValues(values)
    #else
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: url.path)
    #endif
  }
}
