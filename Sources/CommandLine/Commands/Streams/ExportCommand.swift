internal import CommandLineGrammar
internal import Foundation
internal import Glibc

/// `postilion export`: all devices, as they are stored.
enum ExportCommand {
  static let command = ClientCommand(
    CommandSyntax(
      ["export"], "write all devices, a line for each",
      details: [
        "The state of one moment, which import restores with its dates. A file is there only when "
          + "it is whole: until then its name ends with .part. It takes the place of no other."
      ],
      options: [
        SharedOptions.app, DeviceCommands.filter,
        OptionSyntax(
          "format", "WORD", "ndjson or csv", .words(["ndjson", "csv"]), standard: "ndjson"),
        OptionSyntax(
          "output", "FILE", "a new file, that only you may read", .file,
          standard: "standard output"),
      ],
      examples: [
        .init(
          "postilion export --app food --output devices.ndjson", "Writes all devices to a file."),
        .init(
          "postilion export --app food --format csv --filter language=fr | head",
          "The first of those that read French."),
      ])
  ) { session throws(Exit) in
    let path = try session.filtered(.app(session.app(), "installations"))
    let accept =
      session.invocation.value("format") == "csv" ? "text/csv" : "application/x-ndjson"
    guard let file = session.invocation.value("output") else {
      return try write(path, accept, session) { bytes throws(Exit) in
        try session.terminal.write(bytes)
      }
    }
    let output = try OutputFile(file)
    try write(path, accept, session) { bytes throws(Exit) in try output.write(bytes) }
    try output.finish()
  }

  private static func write(
    _ path: APIPath, _ accept: String, _ session: Session,
    _ put: ([UInt8]) throws(Exit) -> Void
  ) throws(Exit) {
    let progress = Progress(session.terminal, .lines, total: nil)
    defer { progress.finish() }
    try session.api().lines("GET", path, accept: accept) { line throws(Exit) in
      progress.advance(by: 1)
      try put(Array(line) + [UInt8(ascii: "\n")])
    }
  }
}

/// A new file, that only its owner may read. It gets its name when it is whole, and never that of
/// another file; until then it leaves nothing behind.
final class OutputFile {
  private let path: String
  /// Its name until it is whole, which nothing else has.
  private let partial: String
  private let descriptor: Int32
  private var waiting: [UInt8] = []

  /// - Throws: ``Exit`` when the file is there already, or cannot be made.
  init(_ path: String) throws(Exit) {
    self.path = path
    partial = "\(path).\(UUID().uuidString.prefix(8)).part"
    guard access(path, F_OK) != 0 else { throw OutputFile.isThere(path) }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    descriptor = open(partial, flags, 0o600)
    guard descriptor >= 0 else {
      throw Exit(ExitCode.cannotCreate, "\(path) cannot be made: \(InputFile.reason()).")
    }
  }

  private static func isThere(_ path: String) -> Exit {
    Exit(ExitCode.cannotCreate, "\(path) is there already; nothing was written.")
  }

  /// Adds bytes.
  func write(_ bytes: [UInt8]) throws(Exit) {
    waiting += bytes
    if waiting.count >= CommandLimits.pieceBytes { try flush() }
  }

  private func flush() throws(Exit) {
    var sent = 0
    while sent < waiting.count {
      let count = waiting.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent)
      }
      guard count > 0 || errno == EINTR else {
        throw Exit(ExitCode.transfer, "\(path) cannot be written: \(InputFile.reason()).")
      }
      sent += max(0, count)
    }
    waiting = []
  }

  /// Gives the file its name.
  /// - Throws: ``Exit`` when another file has it meanwhile.
  func finish() throws(Exit) {
    try flush()
    // A link takes no name away, as `rename` does.
    guard link(partial, path) == 0 else {
      guard errno != EEXIST else { throw Self.isThere(path) }
      throw Exit(ExitCode.cannotCreate, "\(path) cannot be made: \(InputFile.reason()).")
    }
    unlink(partial)
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    // After `finish` there is no such file.
    unlink(partial)
  }
}
