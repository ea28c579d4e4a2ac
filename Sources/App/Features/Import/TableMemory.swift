import JSON
import Postgres
import Registry
import Synchronization

/// What the rows of a table have said so far: a table without times does not say which of two rows
/// about one token is the newer one.
///
/// | a later row | |
/// |---|---|
/// | the same token, the same values | it is there already |
/// | the same token, another user | `token_of_two_users`: the first row counts |
/// | the same token, other values | `token_twice`: the first row counts |
/// | another token, the same user | `user_of_two_tokens`: a notice, as people have two devices |
///
/// With a time in both, the newer one counts, and the rows are told as notices.
final class TableMemory: Sendable {
  private struct Row {
    var line: Int
    /// Hashes: of the user, of the whole record.
    var user, values: Int
  }

  private struct Known {
    var tokens: [Int: Row] = [:]
    /// Hashes of them.
    var users: Set<Int> = []
  }

  private let known = Mutex(Known())

  /// Compares a record with those before it.
  /// - Parameter values: A hash of all that it says.
  /// - Returns: What there is to say of it, and whether it costs the record.
  func note(
    _ record: ImportRecord, values: Int, line: Int
  ) -> (problem: InputProblem, isFault: Bool)? {
    guard let token = record.report.credentials[.apns]?.value?.hashValue else { return nil }
    let user = record.report.user.value?.id.map { Array($0.utf8).hashValue } ?? 0
    return known.withLock { known in
      if let row = known.tokens[token] {
        guard row.values != values else { return nil }
        let isOther = row.user != user
        let detail =
          "Line \(row.line) has this token "
          + (isOther ? "for another user" : "with other values")
          + (record.time == nil ? ", and counts." : ": the newer one counts.")
        let fault: ImportFault = isOther ? .tokenOfTwoUsers : .tokenTwice
        return (fault.problem(at: "/credentials/apns/token", detail), record.time == nil)
      }
      guard known.tokens.count < Limits.tableRows else { return nil }
      known.tokens[token] = Row(line: line, user: user, values: values)
      guard user != 0, !known.users.insert(user).inserted else { return nil }
      let detail = "An earlier line has another token of this user, who has two devices then."
      return (ImportFault.userOfTwoTokens.problem(at: "/user/id", detail), false)
    }
  }
}
