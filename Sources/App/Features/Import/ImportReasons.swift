import JSON

/// How many records have each reason to be rejected, or for a part to be left out: a list of
/// thousands is read by nobody.
struct ImportReasons: Sendable {
  /// What a reason costs.
  enum Kind: String, Sendable {
    /// The record.
    case error
    /// A part of it.
    case ignored
    /// Nothing.
    case notice
  }

  /// One reason.
  struct Entry: JSONWritable, Sendable {
    var kind: Kind
    var code: String
    /// Records that have it.
    var count = 0
    /// The first of them.
    var lines: [Int] = []
    /// Of the first.
    var detail: String

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("kind", kind.rawValue)
        writer.member("code", code)
        writer.member("count", count)
        writer.key("lines")
        writer.array(lines) { $0.integer(Int64($1)) }
        writer.member("detail", detail)
      }
    }
  }

  /// In the order in which they came up.
  private(set) var entries: [Entry] = []

  /// Counts the problems of a record, each code once.
  mutating func add(_ problems: [InputProblem], _ kind: Kind, _ line: Int) {
    var counted: Set<String> = []
    for problem in problems where counted.insert(problem.code).inserted {
      let known = entries.firstIndex { $0.kind == kind && $0.code == problem.code }
      if known == nil {
        entries.append(Entry(kind: kind, code: problem.code, detail: problem.detail))
      }
      let index = known ?? entries.count - 1
      entries[index].count += 1
      if entries[index].lines.count < Limits.reasonLines { entries[index].lines.append(line) }
    }
  }
}
