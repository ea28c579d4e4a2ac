internal import ASCII
package import DeviceProfile
package import JSON

/// How many tokens there are of each kind, by status.
///
///     {"apns": {"active": 3, "quarantined": 0, "invalid": 1}, "voip": …}
package struct TokenCounts: Sendable, Equatable {
  private struct State: Hashable {
    let kind: CredentialKind
    let status: CredentialStatus
  }

  private var counts: [State: Int64] = [:]

  package init() {}

  package subscript(kind: CredentialKind, status: CredentialStatus) -> Int64 {
    counts[State(kind: kind, status: status)] ?? 0
  }

  /// The tokens of a kind, whatever their status.
  package subscript(kind: CredentialKind) -> Int64 {
    CredentialStatus.allCases.reduce(0) { $0 + self[kind, $1] }
  }

  /// Adds the tokens of so many rows that have the same words.
  /// - Parameter words: The words of ``tokenWords``: `apns:active widgets:invalid`. A word that
  ///   this program does not know is left out.
  package mutating func add(_ words: String, of rows: Int64) {
    for parts in words.parts(between: " ").map({ $0.parts(between: ":") }) where parts.count == 2 {
      guard let kind = CredentialKind(spelled: parts[0]),
        let status = CredentialStatus(spelled: parts[1])
      else { continue }
      counts[State(kind: kind, status: status), default: 0] += rows
    }
  }
}

extension TokenCounts: JSONWritable {
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for kind in CredentialKind.allCases {
        writer.key(kind.rawValue)
        writer.object { writer in
          for status in CredentialStatus.allCases {
            writer.member(status.rawValue, self[kind, status])
          }
        }
      }
    }
  }
}
