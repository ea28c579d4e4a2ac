import Foundation

/// The files of the repository that this test was compiled in.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every file below `Sources`, `Tests` and `sql` that is text of ours, and the manifest.
  static let files: [SourceFile] = {
    let paths = ["Sources", "Tests", "sql"].flatMap { directory in
      (FileManager.default.enumerator(atPath: root.appendingPathComponent(directory).path)?
        .compactMap { $0 as? String } ?? [])
        .map { "\(directory)/\($0)" }
    }
    return (paths + ["Package.swift"]).sorted()
      .filter { path in [".swift", ".sql", ".h", ".c"].contains { path.hasSuffix($0) } }
      .compactMap { path in
        let file = root.appendingPathComponent(path)
        return (try? String(contentsOf: file, encoding: .utf8))
          .map { SourceFile(path: path, text: $0) }
      }
  }()

  /// What Git keeps of the repository; `nil` outside a Git checkout.
  static func trackedPaths() throws -> [String]? {
    guard FileManager.default.fileExists(atPath: root.appendingPathComponent(".git").path) else {
      return nil
    }
    let git = Process()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    git.currentDirectoryURL = root
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    try git.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { return nil }
    // A link to a directory is listed like a file; what it leads to is listed where it lies.
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { path in
        var isDirectory: ObjCBool = false
        let file = root.appendingPathComponent(path).path
        return !FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
          || !isDirectory.boolValue
      }
  }
}
