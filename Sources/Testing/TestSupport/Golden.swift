internal import Foundation

/// Compares text with the files in `Tests/Fixtures`, which `make goldens` rewrites from what the
/// code makes now; the difference is then reviewed like code.
public enum Golden {
  /// Compares the text with a stored one.
  ///
  /// - Parameters:
  ///   - name: the file's path in `Tests/Fixtures`.
  ///   - sourceFile: the test's own file, somewhere below `Tests`.
  /// - Throws: ``GoldenMismatch`` when they differ or there is none.
  public static func check(
    _ text: String, named name: String, sourceFile: String = #filePath
  ) throws {
    guard let file = fixture(named: name, near: sourceFile) else {
      throw GoldenMismatch(description: "\(sourceFile) is not below a directory Tests.")
    }
    if ProcessInfo.processInfo.environment["POSTILION_UPDATE_GOLDENS"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    guard let stored = try? String(contentsOf: file, encoding: .utf8) else {
      throw GoldenMismatch(
        description: "There is no Tests/Fixtures/\(name): run make goldens and review it.")
    }
    guard let difference = difference(between: stored, and: text) else { return }
    throw GoldenMismatch(
      description: "Tests/Fixtures/\(name) differs in \(difference)\n"
        + "If that is meant, run make goldens and review the change.")
  }

  /// A stored text that is data for a test, not what the code makes.
  ///
  /// - Parameters: as of ``check(_:named:sourceFile:)``.
  /// - Throws: when there is no such file.
  public static func fixture(_ name: String, sourceFile: String = #filePath) throws -> String {
    guard let file = fixture(named: name, near: sourceFile) else {
      throw GoldenMismatch(description: "\(sourceFile) is not below a directory Tests.")
    }
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// The names of the files in a folder that end so, without this ending, in their order. There are
  /// none if there is no such folder, so that a test must ask for some.
  ///
  /// - Parameter folder: its path in `Tests/Fixtures`.
  public static func names(
    in folder: String, ending: String, sourceFile: String = #filePath
  ) -> [String] {
    guard let directory = fixture(named: folder, near: sourceFile) else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  /// The first line in which two texts differ, with both its forms; `nil` when they are equal.
  private static func difference(between stored: String, and made: String) -> String? {
    guard stored != made else { return nil }
    let storedLines = stored.split(separator: "\n", omittingEmptySubsequences: false)
    let madeLines = made.split(separator: "\n", omittingEmptySubsequences: false)
    let equal = zip(storedLines, madeLines).prefix { $0 == $1 }.count
    let storedLine = equal < storedLines.count ? storedLines[equal] : "(end)"
    let madeLine = equal < madeLines.count ? madeLines[equal] : "(end)"
    return "line \(equal + 1):\n- \(storedLine)\n+ \(madeLine)"
  }

  private static func fixture(named name: String, near sourceFile: String) -> URL? {
    var directory = URL(fileURLWithPath: sourceFile).deletingLastPathComponent()
    while directory.lastPathComponent != "Tests" {
      guard directory.pathComponents.count > 1 else { return nil }
      directory = directory.deletingLastPathComponent()
    }
    return directory.appendingPathComponent("Fixtures").appendingPathComponent(name)
  }
}

/// A text is not the stored one; the description says where and what to do.
public struct GoldenMismatch: Error, CustomStringConvertible {
  /// The first line that differs, in both forms.
  public let description: String
}
