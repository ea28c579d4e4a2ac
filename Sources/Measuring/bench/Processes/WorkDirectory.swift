internal import Foundation
internal import Synchronization

/// A directory for one service or tool, below one temporary directory that goes with the bench.
struct WorkDirectory: Sendable {
  let path: String

  private static let top = Mutex<String?>(nil)

  /// Makes a directory of that name.
  init(_ name: String) throws(Fault) {
    let parent = try Self.parent()
    path = "\(parent)/\(name)"
    // Open on the way down: the database runs under another account when the bench is root.
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw Fault("cannot create \(path)") }
  }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes everything; again while a database that is still ending writes in it.
  static func removeAll() {
    top.withLock { top in
      guard let path = top else { return }
      let deadline = now() + 10
      while access(path, F_OK) == 0, now() < deadline {
        try? FileManager.default.removeItem(atPath: path)
        usleep(50_000)
      }
      top = nil
    }
  }

  private static func parent() throws(Fault) -> String {
    let path = top.withLock { top -> String? in
      if let path = top { return path }
      let place = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
      var template = Array("\(place)/postilion-bench-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      let path = String(
        decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      chmod(path, 0o755)
      top = path
      return path
    }
    guard let path else { throw Fault("cannot create a temporary directory") }
    return path
  }
}
