import JSON
import Registry

/// The export as CSV, a row of which says what a line of the export as JSON says.
///
///     apns_token      {"credentials": {"apns": {"token": …}}}
///     languages       fr-CA en → ["fr-CA", "en"]
///     tags            JSON
///     user_id         {"user": {"id": …}}
///     time_zone       text, as of all other columns; an empty cell is null
enum NativeTable {
  /// The column that every table has.
  static let idColumn = "installation_id"

  private static let forms = Dictionary(
    uniqueKeysWithValues: ProfileField.all.map { ($0.name, $0.cellForm) })

  /// The JSON form of a row.
  /// - Throws: ``InputFailure`` with the cells that should be JSON and are not.
  static func record(_ names: [String], _ cells: [String?]) throws(InputFailure) -> JSONValue {
    var members: JSONObject = [:]
    var credentials: [String: JSONObject] = [:]
    var problems: [InputProblem] = []
    for (name, cell) in zip(names, cells) {
      let text = cell.map(CSVText.value(of:))
      if let (kind, fact) = credential(name) {
        if let text { credentials[kind, default: [:]][fact] = .string(text) }
      } else if name == "user_id" {
        members["user"] = text.map { .object(["id": .string($0)]) } ?? .null
      } else if forms[name] == .words {
        let words = (text ?? "").split(separator: " ")
        members[name] = .array(words.map { .string(String($0)) })
      } else if let text, forms[name] == .json {
        if let value = JSONValue(parsing: Array(text.utf8)) {
          members[name] = value
        } else {
          problems.append(InputFault.malformedJSON.problem(at: "/\(name)", "The cell is JSON."))
        }
      } else {
        members[name] = text.map(JSONValue.string) ?? .null
      }
    }
    guard problems.isEmpty else { throw InputFailure(problems) }
    members["credentials"] = .object(JSONObject(credentials.mapValues(JSONValue.object)))
    return .object(members)
  }

  /// The kind and the fact of a column of a token: `voip_status` → `("voip", "status")`.
  private static func credential(_ column: String) -> (kind: String, fact: String)? {
    for kind in CredentialKind.allCases where column.hasPrefix("\(kind.rawValue)_") {
      return (kind.rawValue, String(column.dropFirst(kind.rawValue.count + 1)))
    }
    return nil
  }
}
