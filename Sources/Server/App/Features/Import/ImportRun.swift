import EventLoop
import HTTP
import JSON
import Postgres
import Records
import Registry
import Synchronization

/// One import from the first byte to the last, in batches. While a batch is written, the next one
/// is read and decided.
struct ImportRun {
  private let order: ImportOrder
  private let context: LoopContext
  private let holder: Int32?
  private let workShare: WorkShare
  private let permission: Permission
  private let source = ReceivedBytes()
  /// Whether the received bytes contain no further whole record.
  private var isDrained = true
  /// Whether no more bytes come.
  private var isAtEnd = false
  private var report = ImportReport()

  init(_ order: ImportOrder, _ call: Call) {
    self.order = order
    context = call.context
    holder = call.holder
    workShare = call.workShare
    permission = Permission(call)
    if order.condition != nil { report.matching = 0 }
  }

  /// Reads and applies a whole body. Committed changes stay, whatever happens then.
  mutating func run(_ body: any BodyReader) async throws -> ImportReport {
    let place = order.isDryRun ? nil : try context.database.takePlace(for: holder)
    defer { place?.close() }
    let writer = ImportWriter(order, context, workShare)
    do {
      var rows = try await nextBatch(body)
      // The following batch; `nil` if it must be decided when the batch before it is written.
      var decided: ImportBatch?
      while !rows.isEmpty {
        try permission.check()
        let records = rows.records
        let batch = if let decided { decided } else { try await writer.decide(records) }
        async let written = writer.write(batch)
        let following = await nextBatchResult(body)
        decided = try? await writer.decide(following.get().records)
        var results = try await written
        if results.contains(nil) {
          decided = nil
          results = try await writer.settle(records, results)
        }
        count(rows, results.compactMap(\.self))
        if let condition = order.condition {
          report.matching = batch.count(records, condition) + (report.matching ?? 0)
        }
        rows = try following.get()
      }
    } catch {
      throw explained(Problem(error))
    }
    return report
  }

  private mutating func nextBatchResult(
    _ body: any BodyReader
  ) async -> Result<[ImportSource.Row], any Error> {
    do {
      return .success(try await nextBatch(body))
    } catch {
      return .failure(error)
    }
  }

  /// Reads up to a batch of records; none at the end of the body.
  private mutating func nextBatch(_ body: any BodyReader) async throws -> [ImportSource.Row] {
    var batch: [ImportSource.Row] = []
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

  /// Reads records on a thread, from further bytes or from the bytes that are left.
  /// - Returns: At most `maximum` rows; fewer when more bytes are needed.
  private func nextRows(
    _ maximum: Int, _ bytes: [UInt8]?
  ) async throws -> [ImportSource.Row] {
    let (source, isAtEnd) = (source, isAtEnd)
    return try await context.shared.workers.requests.run(isUnderWay: true, for: workShare) {
      try source.rows(maximum, bytes, isAtEnd: isAtEnd)
    }
  }

  /// Counts a batch.
  /// - Parameter results: The results of the rows that hold a record.
  private mutating func count(
    _ batch: [ImportSource.Row], _ results: [RecordResult]
  ) {
    var results = results[...]
    for row in batch {
      switch row.record {
      case .failure(let failure): report.reject(failure.problems, line: row.line)
      case .success:
        switch results.popFirst() ?? .unchanged {
        case .accepted: report.accepted += 1
        case .updated: report.updated += 1
        case .unchanged: report.unchanged += 1
        case .rejected(let problems): report.reject(problems, line: row.line)
        }
      }
      report.note(row.ignored, .ignored, line: row.line)
    }
  }

  /// The problem that ended an import, with the number of records that were done by then.
  private func explained(_ problem: Problem) -> Problem {
    let taken = report.accepted + report.updated + report.unchanged + report.rejected
    guard taken > 0 else { return problem }
    return Problem(
      problem.kind,
      problem.detail + " At least \(taken) records were done by then: \(report.accepted) new, "
        + "\(report.updated) updated, \(report.rejected) rejected. Send the body again: what is "
        + "there already stays as it is.",
      errors: problem.errors, fields: problem.fields, logDetail: problem.logDetail)
  }
}

/// The records of a body, which one thread after the other reads. A source that was passed on would
/// be copied for each piece of the body, with all that it holds of a record.
final class ReceivedBytes: Sendable {
  private let source = Mutex(ImportSource())

  /// Reads records from further bytes, or from the bytes that are left.
  func rows(
    _ maximum: Int, _ bytes: [UInt8]?, isAtEnd: Bool
  ) throws -> [ImportSource.Row] {
    try source.withLock { source in
      if let bytes { try source.append(bytes) }
      if isAtEnd { source.finish() }
      var rows: [ImportSource.Row] = []
      while rows.count < maximum, let row = try source.next() {
        try Task.checkCancellation()
        rows.append(row)
      }
      return rows
    }
  }
}

extension [ImportSource.Row] {
  /// The records of the rows that hold one.
  fileprivate var records: [ImportRecord] { compactMap { try? $0.record.get() } }
}
