/// `postmaster.pid`, which a server keeps in its cluster directory. Its lines (`pidfile.h`) are
/// process id, directory, start time, port, socket directory, listen address, shared memory and
/// status.
struct PostmasterFile: Equatable {
  let process: Int32
  /// The server accepts connections.
  let isReady: Bool

  /// Reads its text; `nil` while it is still being written.
  init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let process = lines.first.flatMap({ Int32($0) }), process > 0 else { return nil }
    self.process = process
    // The status is padded with spaces, so that it can be overwritten in place.
    isReady = lines.count > 7 && lines[7].prefix { $0 != " " } == "ready"
  }
}
