import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import Postgres

/// A PostgreSQL that knows one statement, which answers with its number, and that hangs up in the
/// middle of its answers (PostgreSQL manual, "Frontend/Backend Protocol").
///
/// It serves one connection after the other. Where each is cut, and how, follows from the seed.
final class CutServer: Sendable {
  /// What the server makes of a statement, by its number.
  enum Fate {
    /// A row with the number.
    case row
    /// An error; the rest up to the Sync is skipped.
    case error
    /// A row; the commit at the Sync fails.
    case failedCommit

    init(_ number: Int32) {
      switch number % 16 {
      case 3: self = .error
      case 7: self = .failedCommit
      default: self = .row
      }
    }
  }

  /// Behind how many bytes of answers a connection is cut at the latest: some outlive it.
  private static let longestLife = 1000
  private let directory = "/tmp/postilion tests/cuts-\(UUID().uuidString)"
  private let listener: Int32
  private let seed: UInt64
  private let confirmedNumbers = Mutex<Set<Int32>>([])

  /// Numbers of the present connection whose Sync was answered wholly and well.
  var confirmed: Set<Int32> { confirmedNumbers.withLock { $0 } }

  /// How it is reached.
  var address: DatabaseAddress {
    get throws {
      try DatabaseAddress(
        "host='\(directory)' port=5432 user=postilion dbname=postilion gssencmode=disable")
    }
  }

  init(seed: UInt64) throws {
    self.seed = seed
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: Array("\(directory)/.s.PGSQL.5432".utf8))
    }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
    Thread.detachNewThread { [self] in run() }
  }

  /// Stops to listen; the thread ends.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func run() {
    var random = SplitMix64(seed: seed)
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      var conversation = Conversation(descriptor)
      if conversation.greet() {
        confirmedNumbers.withLock { $0.removeAll() }
        let end = random.below(Self.longestLife)
        let ending = Conversation.Ending.allCases[random.below(3)]
        let pieces = random.below(2) == 0 ? 1 + random.below(100) : .max
        conversation.serve(until: end, ending, pieces: pieces) { numbers in
          confirmedNumbers.withLock { $0.formUnion(numbers) }
        }
      }
      close(descriptor)
    }
    close(listener)
  }
}

/// One connection of a ``CutServer``.
private struct Conversation {
  /// How a connection ends.
  enum Ending: CaseIterable {
    /// In the middle of a message.
    case cut
    /// The same, and nothing more is read.
    case deaf
    /// Between two messages, with a last word.
    case farewell
  }

  private let descriptor: Int32
  private var input: [UInt8] = []
  /// The statements that are prepared, by name, and whether each is the one with a number.
  private var names: [String: Bool] = [:]
  /// Numbers since the last Sync, and whether an error came.
  private var numbers: [Int32] = []
  private var isSkipping = false
  private var bound: (isNumbered: Bool, number: Int32) = (false, 0)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Lets the client in, and answers the commands that set up its session.
  /// - Returns: Whether it stayed.
  mutating func greet() -> Bool {
    while input.count < 4 || input.count < Int(Self.int32(input[0..<4])) {
      guard fill() else { return false }
    }
    input.removeAll()
    var welcome = Message("R").int32(0).bytes
    for (name, value) in [("server_version", "15.0"), ("client_encoding", "UTF8")] {
      welcome += Message("S").text(name).text(value).bytes
    }
    send(welcome + Message("K").int32(1).int32(2).bytes + Self.ready)
    while true {
      if let (kind, _) = nextMessage() {
        guard kind == "Q" else { return false }
        send(Message("C").text("SET").bytes + Self.ready)
        return true
      }
      guard fill() else { return false }
    }
  }

  /// Answers until so many bytes are sent, or the client leaves.
  mutating func serve(
    until end: Int, _ ending: Ending, pieces: Int, confirmed: ([Int32]) -> Void
  ) {
    var sent = 0
    while true {
      guard let (kind, body) = nextMessage() else {
        guard fill() else { return }
        continue
      }
      let hasFailedCommit = failedCommit != nil
      let messages = answer(kind, body)
      var answer = messages.flatMap { $0 }
      let isOver = sent + answer.count > end
      if isOver, ending == .farewell {
        answer = []
        for message in messages {
          guard sent + answer.count + message.count <= end else { break }
          answer += message
        }
        answer += Self.farewell
      } else {
        answer = Array(answer.prefix(end - sent))
      }
      if kind == "S" {
        // Before it goes out: the client must not know of it first.
        if !isOver, !hasFailedCommit { confirmed(numbers) }
        numbers.removeAll()
      }
      for start in stride(from: 0, to: answer.count, by: pieces) {
        send(Array(answer[start..<min(answer.count, start &+ min(pieces, answer.count))]))
      }
      sent += answer.count
      guard isOver else { continue }
      if ending != .deaf { drain() }
      return
    }
  }

  private static let ready = Message("Z").text("I", isEnded: false).bytes
  private static let farewell = error(
    "57P01", "terminating connection due to administrator command", severity: "FATAL")

  private static func error(
    _ sqlState: String, _ message: String, severity: String = "ERROR"
  ) -> [UInt8] {
    Message("E").text("S\(severity)").text("V\(severity)").text("C\(sqlState)").text("M\(message)")
      .text("").bytes
  }

  /// The messages that answer one of the client's.
  private mutating func answer(_ kind: Character, _ body: [UInt8]) -> [[UInt8]] {
    if kind == "S" {
      defer { isSkipping = false }
      guard let failed = failedCommit else { return [Self.ready] }
      return [Self.error("40001", "commit of \(failed)"), Self.ready]
    }
    guard !isSkipping else { return [] }
    let texts = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    switch kind {
    case "P":
      names[texts[0]] = texts[1].contains("$1")
      return [Message("1").bytes]
    case "B":
      // Behind both names: one format, one value of four bytes, one format of the result.
      bound.isNumbered = names[texts[1]] ?? false
      let start = texts[0].utf8.count + texts[1].utf8.count + 2
      if bound.isNumbered { bound.number = Self.int32(body[(start + 10)..<(start + 14)]) }
      return [Message("2").bytes]
    case "D":
      guard bound.isNumbered else { return [Message("n").bytes] }
      return [
        Message("T").int16(1).text("n").int32(0).int16(0).int32(23).int16(4).int32(-1).int16(1)
          .bytes
      ]
    case "E": return execute()
    default: return []
    }
  }

  /// The number whose commit fails at the next Sync.
  private var failedCommit: Int32? {
    isSkipping ? nil : numbers.first { CutServer.Fate($0) == .failedCommit }
  }

  private mutating func execute() -> [[UInt8]] {
    guard bound.isNumbered else { return [Message("C").text("DISCARD PLANS").bytes] }
    guard CutServer.Fate(bound.number) != .error else {
      isSkipping = true
      return [Self.error("22012", "statement \(bound.number)")]
    }
    numbers.append(bound.number)
    return [
      Message("D").int16(1).int32(4).int32(bound.number).bytes, Message("C").text("SELECT 1").bytes,
    ]
  }

  // MARK: Bytes

  private static func int32(_ bytes: ArraySlice<UInt8>) -> Int32 {
    Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The next whole message of the client.
  private mutating func nextMessage() -> (kind: Character, body: [UInt8])? {
    guard input.count >= 5 else { return nil }
    let count = 1 + Int(Self.int32(input[1..<5]))
    guard input.count >= count else { return nil }
    defer { input.removeFirst(count) }
    return (Character(Unicode.Scalar(input[0])), Array(input[5..<count]))
  }

  private mutating func fill() -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { input += buffer[0..<count] }
      return count
    }
    return count > 0
  }

  private func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Reads what has come, so that the client sees an end and not a reset.
  private mutating func drain() {
    shutdown(descriptor, Int32(SHUT_WR))
    while fill() { input.removeAll() }
  }
}

/// A message of the server, its length put in at the end.
private struct Message {
  private let kind: UInt8
  private var body: [UInt8] = []

  init(_ kind: Character) { self.kind = kind.asciiValue ?? 0 }

  var bytes: [UInt8] {
    [kind] + Self.big(Int32(body.count + 4)) + body
  }

  func int32(_ value: Int32) -> Message { adding(Self.big(value)) }
  func int16(_ value: Int16) -> Message { adding(Self.big(value)) }
  func text(_ text: String, isEnded: Bool = true) -> Message {
    adding(Array(text.utf8) + (isEnded ? [0] : []))
  }

  private func adding(_ bytes: [UInt8]) -> Message {
    var message = self
    message.body += bytes
    return message
  }

  private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
