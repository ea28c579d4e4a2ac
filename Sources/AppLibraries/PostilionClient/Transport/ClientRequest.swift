import Foundation

/// A request of the HTTP contract, without the address and the key of the server.
struct ClientRequest: Hashable, Sendable {
  enum Method: String, Sendable {
    case put = "PUT"
    case patch = "PATCH"
    case post = "POST"
    case delete = "DELETE"
  }

  /// What an answer to it means for the state.
  enum Purpose: Hashable, Sendable {
    /// A report of these fields; all that there are, or those that differ.
    case report(ReportFields, isWhole: Bool, at: Date)
    /// A failure of this id.
    case failure(UUID)
    /// The installation is to be forgotten.
    case removal
  }

  var method: Method
  /// Below the app: `installations/5f0c…`, `failures`.
  var path: String
  var body: [String: PayloadValue]?
  var purpose: Purpose

  /// Whether it is a report with a token in it by which a server knows the app of an installation.
  var bringsToken: Bool {
    guard case .report(let fields, _, _) = purpose else { return false }
    return ReportField.toldAtLaunch.contains { fields[$0]?["token"] != nil }
  }
}
