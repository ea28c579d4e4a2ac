internal import JSON

/// What `postilion doctor` found, in the order in which it looked:
///
///     ok     database   PostgreSQL 15.14 lets postilion_service in (host=db dbname=postilion).
///     wrong  schema     The database has no schema: postilion migrate makes it.
///                       → Run it with the account that owns the tables, such as postilion_owner.
public struct Checkup: Sendable, Equatable {
  enum State: String, Sendable {
    /// As it should be.
    case ok
    /// Right in some places and not in others: people decide.
    case note
    /// Something does not work, or will not.
    case wrong
  }

  /// One thing that was looked at.
  struct Entry: Sendable, Equatable {
    /// Its name, a word.
    let check: String
    let state: State
    /// The result of the look, in a sentence or two.
    let finding: String
    /// The advice; `nil` where there is nothing to do, or the finding has the advice.
    let remedy: String?

    static func ok(_ check: String, _ finding: String) -> Self {
      Self(check: check, state: .ok, finding: finding, remedy: nil)
    }

    static func note(_ check: String, _ finding: String, _ remedy: String? = nil) -> Self {
      Self(check: check, state: .note, finding: finding, remedy: remedy)
    }

    static func wrong(_ check: String, _ finding: String, _ remedy: String? = nil) -> Self {
      Self(check: check, state: .wrong, finding: finding, remedy: remedy)
    }
  }

  let entries: [Entry]

  /// Whether nothing is wrong.
  public var isWell: Bool { !entries.contains { $0.state == .wrong } }

  /// The report for people.
  public var lines: [String] {
    entries.flatMap { entry in
      let head = Self.padded(entry.state.rawValue, 7) + Self.padded(entry.check, 11)
      let remedy = entry.remedy.map { [String(repeating: " ", count: 18) + "→ " + $0] }
      return [head + entry.finding] + (remedy ?? [])
    }
  }

  /// The report for programs:
  /// `{"checks":[{"check":"schema","finding":"…","remedy":"…","state":"wrong"}]}`, with the member
  /// `is_well` after the list.
  public var json: String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("checks")
      writer.array(entries) { writer, entry in
        writer.object { writer in
          writer.member("check", entry.check)
          writer.member("finding", entry.finding)
          writer.member("remedy", entry.remedy)
          writer.member("state", entry.state.rawValue)
        }
      }
      writer.member("is_well", isWell)
    }
    return writer.text
  }

  private static func padded(_ word: String, _ columns: Int) -> String {
    word + String(repeating: " ", count: max(1, columns - word.count))
  }
}
