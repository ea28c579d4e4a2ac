package import JSON

/// What became of the records of an import, as its answer shows it.
package struct ImportReport: JSONWritable, Sendable, Equatable {
  /// Records that made an installation.
  package var accepted = 0
  /// Records that changed one.
  package var updated = 0
  /// Records whose installation is stored already, the same or newer.
  package var unchanged = 0
  /// Records that were not taken.
  package var rejected = 0
  /// Records whose installations a filter lets through, when there is one.
  package var matching: Int?
  /// Why records were rejected; the first of all.
  package var errors: [Remark] = []
  /// What was left out of records that were taken; the first of all.
  package var ignored: [Remark] = []
  /// How many records have each reason, in the order in which they came up: a list of thousands is
  /// read by nobody.
  package var reasons: [Reason] = []

  /// What a problem costs.
  package enum Cost: String, Sendable {
    /// The record.
    case error
    /// A part of it.
    case ignored
    /// Nothing.
    case notice
  }

  /// A problem of a record.
  package struct Remark: Sendable, Equatable {
    /// Where the record begins.
    package var line: Int
    /// The field.
    package var pointer: String
    /// A stable word.
    package var code: String
    /// A sentence.
    package var detail: String
  }

  /// A problem that several records may have.
  package struct Reason: Sendable, Equatable {
    package var cost: Cost
    /// A stable word.
    package var code: String
    /// How many records have it.
    package var count: Int
    /// Where the first of them are.
    package var lines: [Int]
    /// The detail of the first problem.
    package var detail: String

    package init(cost: Cost, code: String, count: Int, lines: [Int], detail: String) {
      self.cost = cost
      self.code = code
      self.count = count
      self.lines = lines
      self.detail = detail
    }
  }

  package init() {}

  /// Counts a record that was rejected.
  package mutating func reject(_ problems: [InputProblem], line: Int) {
    rejected += 1
    note(problems, .error, line: line)
  }

  /// Notes problems of a record. For the reasons each code counts once.
  package mutating func note(_ problems: [InputProblem], _ cost: Cost, line: Int) {
    switch cost {
    case .error: Self.list(problems, line, in: &errors)
    case .ignored: Self.list(problems, line, in: &ignored)
    case .notice: break
    }
    var counted: Set<String> = []
    for problem in problems where counted.insert(problem.code).inserted {
      add(
        Reason(cost: cost, code: problem.code, count: 1, lines: [line], detail: problem.detail))
    }
  }

  private static func list(_ problems: [InputProblem], _ line: Int, in list: inout [Remark]) {
    let room = max(0, RecordLimits.listedProblems - list.count)
    list += problems.prefix(room).map { problem in
      let place = problem.position.map { "At \($0.text) of the record: " } ?? ""
      return Remark(
        line: line, pointer: problem.pointer, code: problem.code, detail: place + problem.detail)
    }
  }

  private mutating func add(_ reason: Reason) {
    guard
      let index = reasons.firstIndex(where: { $0.cost == reason.cost && $0.code == reason.code })
    else {
      reasons.append(reason)
      return
    }
    reasons[index].count += reason.count
    if reason.lines.first ?? 0 < reasons[index].lines.first ?? 0 {
      reasons[index].detail = reason.detail
    }
    let lines = (reasons[index].lines + reason.lines).sorted()
    reasons[index].lines = Array(lines.prefix(RecordLimits.reasonLines))
  }

  /// Adds what another reader found in the same file.
  package mutating func add(_ other: ImportReport) {
    accepted += other.accepted
    updated += other.updated
    unchanged += other.unchanged
    rejected += other.rejected
    errors = Self.merged(errors, other.errors)
    ignored = Self.merged(ignored, other.ignored)
    for reason in other.reasons { add(reason) }
    reasons.sort { $0.lines.first ?? 0 < $1.lines.first ?? 0 }
  }

  private static func merged(_ one: [Remark], _ other: [Remark]) -> [Remark] {
    Array((one + other).sorted { $0.line < $1.line }.prefix(RecordLimits.listedProblems))
  }

  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("accepted", accepted)
      writer.member("updated", updated)
      writer.member("unchanged", unchanged)
      writer.member("rejected", rejected)
      if let matching { writer.member("matching", matching) }
      for (name, remarks) in [("errors", errors), ("ignored", ignored)] {
        writer.key(name)
        writer.array(remarks) { writer, remark in
          writer.object { writer in
            writer.member("line", remark.line)
            writer.member("pointer", remark.pointer)
            writer.member("code", remark.code)
            writer.member("detail", remark.detail)
          }
        }
      }
      writer.key("reasons")
      writer.array(reasons) { writer, reason in
        writer.object { writer in
          writer.member("kind", reason.cost.rawValue)
          writer.member("code", reason.code)
          writer.member("count", reason.count)
          writer.key("lines")
          writer.array(reason.lines) { $0.integer(Int64($1)) }
          writer.member("detail", reason.detail)
        }
      }
    }
  }
}

extension ImportReport {
  /// Reads what ``write(to:)`` wrote.
  package init(_ json: JSONValue) {
    func number(_ value: JSONValue?) -> Int {
      if case .integer(let number)? = value { Int(clamping: number) } else { 0 }
    }
    func remarks(_ name: String) -> [Remark] {
      (json[name]?.elements ?? []).map { remark in
        Remark(
          line: number(remark["line"]), pointer: remark["pointer"]?.text ?? "",
          code: remark["code"]?.text ?? "", detail: remark["detail"]?.text ?? "")
      }
    }
    self.init()
    (accepted, updated) = (number(json["accepted"]), number(json["updated"]))
    (unchanged, rejected) = (number(json["unchanged"]), number(json["rejected"]))
    (errors, ignored) = (remarks("errors"), remarks("ignored"))
    reasons = (json["reasons"]?.elements ?? []).map { reason in
      Reason(
        cost: reason["kind"]?.text.flatMap(Cost.init(rawValue:)) ?? .error,
        code: reason["code"]?.text ?? "", count: number(reason["count"]),
        lines: (reason["lines"]?.elements ?? []).map(number),
        detail: reason["detail"]?.text ?? "")
    }
  }
}
