internal import CommandLineGrammar
internal import Glibc

/// `postilion export`: all devices, as they are stored.
enum ExportCommand {
  static let command = ClientCommand(
    CommandSyntax(
      ["export"], "write all devices, a line for each",
      details: [
        "The state of one moment, which import restores with its dates. A file is there only when "
          + "it is whole: until then its name ends with .part."
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

/// A new file that gets its name when it is whole; until then it leaves nothing behind.
final class OutputFile {
  private let path: String
  private var descriptor: Int32
  private var waiting: [UInt8] = []

  /// - Throws: ``Exit`` when the file is there already, or cannot be made.
  init(_ path: String) throws(Exit) {
    self.path = path
    guard access(path, F_OK) != 0 else {
      throw Exit(ExitCode.cannotCreate, "\(path) is there already; nothing was written.")
    }
    descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Exit(ExitCode.cannotCreate, "\(path) cannot be made: \(InputFile.reason()).")
    }
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
  func finish() throws(Exit) {
    try flush()
    close(descriptor)
    guard rename(path + ".part", path) == 0 else {
      throw Exit(ExitCode.cannotCreate, "\(path) cannot be made: \(InputFile.reason()).")
    }
  }

  deinit {
    // After `finish` there is no such file.
    if descriptor >= 0 { unlink(path + ".part") }
  }
}
