internal import Glibc

/// The file of an import, which is read twice: tried first, then imported. Standard input and pipes
/// are copied into a file without a name, which is gone with the program.
final class ImportFile {
  /// As the command line has it.
  let path: String
  /// How many bytes it has.
  private(set) var size: Int
  private var descriptor: Int32

  /// Opens it.
  /// - Throws: ``Exit`` when there is none, or it cannot be read.
  init(_ path: String) throws(Exit) {
    self.path = path
    descriptor = try InputFile.opened(path)
    var status = stat()
    fstat(descriptor, &status)
    size = Int(status.st_size)
    if status.st_mode & S_IFMT != S_IFREG { try keep() }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Reads from the beginning next.
  func rewind() { lseek(descriptor, 0, SEEK_SET) }

  /// The next bytes; none at the end.
  func piece() throws(Exit) -> [UInt8] {
    while true {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: CommandLimits.pieceBytes) { room, filled in
        count = read(descriptor, room.baseAddress, room.count)
        filled = max(0, count)
      }
      if count >= 0 { return piece }
      guard errno == EINTR else {
        throw Exit(ExitCode.transfer, "\(path) cannot be read: \(InputFile.reason()).")
      }
    }
  }

  /// Copies what cannot be read twice.
  private func keep() throws(Exit) {
    func failure() -> Exit {
      Exit(ExitCode.cannotCreate, "\(path) cannot be kept in a file: \(InputFile.reason()).")
    }
    guard let file = tmpfile() else { throw failure() }
    defer { fclose(file) }
    size = 0
    while true {
      let piece = try piece()
      guard !piece.isEmpty else { break }
      guard fwrite(piece, 1, piece.count, file) == piece.count else { throw failure() }
      size += piece.count
    }
    let copy = fflush(file) == 0 ? dup(fileno(file)) : -1
    guard copy >= 0 else { throw failure() }
    if descriptor != STDIN_FILENO { close(descriptor) }
    descriptor = copy
  }
}

/// One reading of the file of an import: its bytes as they are, or native lines made of them.
final class ImportReading {
  /// What makes native lines, and what it found out so far.
  private(set) var conversion: ForeignConversion?
  /// Why the reading ended early.
  private(set) var failure: Exit?

  private let file: ImportFile
  private let progress: Progress
  /// Bytes that wait to be sent, and how many of them are sent.
  private var waiting: [UInt8] = []
  private var sent = 0
  private var isAtEnd = false

  /// Begins at the beginning of the file, and reads so much that a file of another form is refused
  /// before a call is made.
  init(
    _ file: ImportFile, _ conversion: ForeignConversion?, _ progress: Progress
  ) throws(Exit) {
    self.file = file
    self.conversion = conversion
    self.progress = progress
    file.rewind()
    try refill()
  }

  /// Fills a part of a buffer: 0 at the end, `nil` after a failure.
  func fill(_ room: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(Exit) {
      if sent == waiting.count { try refill() }
    } catch {
      failure = error
      return nil
    }
    let count = min(room.count, waiting.count - sent)
    room.copyBytes(from: waiting[sent..<(sent + count)])
    sent += count
    return count
  }

  /// Reads the next pieces, until there is something to send or the file ends.
  private func refill() throws(Exit) {
    (waiting, sent) = ([], 0)
    while waiting.isEmpty, !isAtEnd {
      let piece = try file.piece()
      isAtEnd = piece.isEmpty
      progress.advance(by: piece.count)
      guard conversion != nil else {
        waiting = piece
        continue
      }
      if isAtEnd { try conversion?.finish() } else { try conversion?.append(piece) }
      while let line = try conversion?.next() { waiting += line }
    }
  }
}
