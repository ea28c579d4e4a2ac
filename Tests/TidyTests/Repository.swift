import Foundation

/// The files of the repository that this test was compiled in.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every file below `Sources`, `Tests` and `sql` that is text of ours, and the manifest.
  static let files: [SourceFile] = texts(
    in: ["Sources", "Tests", "sql"].flatMap(contents) + ["Package.swift"],
    endingIn: [".swift", ".sql", ".h", ".c"])

  /// The other texts that people read: documents, the contract, scripts.
  static let documents: [SourceFile] = texts(
    in: paths, endingIn: [".md", ".yaml", ".lua", "Makefile", ".ci/run"])

  /// The files and directories of the repository, as paths from its root, without those that are
  /// built.
  static let paths: Set<String> = {
    let directories = [".ci", "Sources", "Tests", "bench", "deploy", "docs", "sql"]
    let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return Set(top + directories.flatMap(contents))
  }()

  /// Everything below a directory.
  private static func contents(of directory: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(directory).path)
    return (all?.compactMap { $0 as? String } ?? []).map { "\(directory)/\($0)" }
  }

  private static func texts(
    in paths: some Sequence<String>, endingIn ends: [String]
  ) -> [SourceFile] {
    paths.sorted().filter { path in ends.contains { path.hasSuffix($0) } }.compactMap { path in
      let file = root.appendingPathComponent(path)
      return (try? String(contentsOf: file, encoding: .utf8))
        .map { SourceFile(path: path, text: $0) }
    }
  }

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
