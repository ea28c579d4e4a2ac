import EventLoop
import HTTP
import JSON
import Postgres
import Registry

/// One import from the first byte to the last: while a batch is written, the next is read and,
/// where the order of the two does not matter, decided on.
struct ImportRun {
  private let order: ImportOrder
  private let context: LoopContext
  private let holder: Int32?
  private let permission: Permission
  private var source: ImportSource
  /// Whether no whole record is left of the bytes that came.
  private var isDrained = true
  /// Whether no more bytes come.
  private var isAtEnd = false
  private(set) var summary = ImportSummary()

  init(_ order: ImportOrder, _ call: Call) {
    self.order = order
    context = call.context
    holder = call.holder
    permission = Permission(call)
    source = ImportSource(order)
    if order.condition != nil { summary.addMatching(0) }
  }

  /// Reads and applies a whole body. What was committed stays, whatever happens then.
  mutating func run(_ body: any BodyReader) async throws -> ImportSummary {
    if order.isDryRun {
      try await apply(body, ImportWriter(context: context, order: order, session: nil))
    } else {
      let context = context
      var run = self
      self = try await context.database.withBulkSession(for: holder) { session in
        try await session.run(CreateStaging())
        let writer = ImportWriter(context: context, order: run.order, session: session)
        try await run.apply(body, writer)
        return run
      }
    }
    return summary
  }

  private mutating func apply(_ body: any BodyReader, _ writer: ImportWriter) async throws {
    do {
      var batch = try await nextBatch(body)
      var ahead: ImportWriter.Ahead?
      while !batch.isEmpty {
        try permission.check()
        let records = batch.records
        let decided = ahead
        async let written = writer.apply(records, decided)
        let following = await nextBatchResult(body)
        ahead = await writer.ahead((try? following.get().records) ?? [], behind: records)
        let outcomes = try await written
        summary.add(batch, outcomes: outcomes, origin: order.origin(of:))
        if let condition = order.condition {
          summary.addMatching(try await writer.count(records, outcomes, condition))
        }
        batch = try following.get()
      }
    } catch {
      throw summary.explained(Problem(error))
    }
  }

  private mutating func nextBatchResult(
    _ body: any BodyReader
  ) async -> Result<[ImportRow], any Error> {
    do {
      return .success(try await nextBatch(body))
    } catch {
      return .failure(error)
    }
  }

  /// Reads up to a batch of records; none at the end of the body.
  private mutating func nextBatch(_ body: any BodyReader) async throws -> [ImportRow] {
    var batch: [ImportRow] = []
    while batch.count < Limits.importBatch {
      var bytes: [UInt8]?
      if isDrained {
        guard !isAtEnd else { break }
        bytes = try await body.next()
        isAtEnd = bytes == nil
      }
      let room = Limits.importBatch - batch.count
      let rows = try await nextRows(room, bytes)
      isDrained = rows.count < room
      batch += rows
    }
    return batch
  }

  /// Reads records on a thread, out of further bytes or of those that are left.
  /// - Returns: At most so many; fewer when more bytes are needed.
  private mutating func nextRows(_ maximum: Int, _ bytes: [UInt8]?) async throws -> [ImportRow] {
    let (before, isAtEnd, now) = (source, isAtEnd, context.shared.clock())
    let (source, rows) = try await context.shared.workers.requests.run(isUnderWay: true) {
      var source = before
      if let bytes { try source.append(bytes) }
      if isAtEnd { source.finish() }
      var rows: [ImportRow] = []
      while rows.count < maximum, let row = try source.next(now: now) { rows.append(row) }
      return (source, rows)
    }
    self.source = source
    return rows
  }
}

extension [ImportRow] {
  /// Of those rows that hold one.
  fileprivate var records: [ImportRecord] { compactMap { try? $0.record.get() } }
}

/// What an import answers.
struct ImportSummary: JSONWritable, Sendable {
  private var accepted = 0
  private var updated = 0
  private var unchanged = 0
  private var rejected = 0
  private var matching: Int?
  private var errors: [(line: Int, problem: InputProblem)] = []
  private var ignored: [(line: Int, problem: InputProblem)] = []
  private var reasons = ImportReasons()

  /// Counts a batch.
  /// - Parameters:
  ///   - outcomes: Of those rows that hold a record.
  ///   - origin: Tells of a native place where it came from.
  mutating func add(
    _ batch: [ImportRow], outcomes: [ImportWriter.Outcome], origin: (String) -> String
  ) {
    var outcomes = outcomes[...]
    for row in batch {
      let outcome: ImportWriter.Outcome
      switch row.record {
      case .success: outcome = (outcomes.popFirst() ?? .unchanged).moved(to: origin)
      case .failure(let failure): outcome = .rejected(failure.problems)
      }
      switch outcome {
      case .accepted: accepted += 1
      case .updated: updated += 1
      case .unchanged: unchanged += 1
      case .rejected(let problems):
        rejected += 1
        Self.list(problems, row.line, in: &errors)
        reasons.add(problems, .error, row.line)
      }
      Self.list(row.ignored, row.line, in: &ignored)
      reasons.add(row.ignored, .ignored, row.line)
      reasons.add(row.notices, .notice, row.line)
    }
  }

  /// Counts those of a batch that a filter lets through.
  mutating func addMatching(_ count: Int) { matching = (matching ?? 0) + count }

  /// Notes problems while there is room.
  private static func list(
    _ problems: [InputProblem], _ line: Int, in list: inout [(line: Int, problem: InputProblem)]
  ) {
    let room = Limits.importProblems - list.count
    list += problems.prefix(max(0, room)).map { (line, $0) }
  }

  /// The reason why an import broke off, with what is done by then.
  func explained(_ problem: Problem) -> Problem {
    let taken = accepted + updated + unchanged + rejected
    guard taken > 0 else { return problem }
    return Problem(
      problem.kind,
      problem.detail + " At least \(taken) records were done by then: \(accepted) new, "
        + "\(updated) updated, \(rejected) rejected. Send the body again: what is there already "
        + "stays as it is.",
      errors: problem.errors, fields: problem.fields, logDetail: problem.logDetail)
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("accepted", accepted)
      writer.member("updated", updated)
      writer.member("unchanged", unchanged)
      writer.member("rejected", rejected)
      if let matching { writer.member("matching", matching) }
      for (name, list) in [("errors", errors), ("ignored", ignored)] {
        writer.key(name)
        writer.array(list) { writer, entry in
          writer.object { writer in
            writer.member("line", entry.line)
            writer.member("pointer", entry.problem.pointer)
            writer.member("code", entry.problem.code)
            let place = entry.problem.position.map { "At \($0.text) of the record: " } ?? ""
            writer.member("detail", place + entry.problem.detail)
          }
        }
      }
      writer.member("reasons", reasons.entries)
    }
  }
}

extension ImportWriter.Outcome {
  fileprivate func moved(to origin: (String) -> String) -> Self {
    guard case .rejected(let problems) = self else { return self }
    return .rejected(problems.map { $0.moved(to: origin) })
  }
}
