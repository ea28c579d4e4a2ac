import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What came of a request.
enum RequestOutcome: Hashable, Sendable {
  case accepted(ReportAnswer)
  /// The server has no such installation.
  case missing
  /// The server does not take it, and would not take it again: the code of its problem.
  case refused(String)
  /// The secret is not that of the installation, or the installation is a backend's and has another
  /// token: a new one takes its place.
  case secretRefused
  /// A backend made the installation, and a report without a token does not prove that it is this
  /// app's.
  case unclaimed
  /// Nobody knows whether it arrived, or the server cannot take it now.
  case failed(RequestFailure)

  /// Reads an answer. One without the form of the HTTP contract is not the server's, but that of
  /// something on the way, such as the page of a hotel's network: it changes nothing, and its
  /// `Retry-After` counts as little as its status.
  init(_ response: TransportResponse, to request: ClientRequest) {
    let answer = try? JSONDecoder().decode(AnswerBody.self, from: response.body)
    let code = answer?.problem
    func failed(_ detail: String?) -> Self {
      let wish = code == nil ? nil : response.retryAfter
      let detail = detail ?? "status \(response.status)"
      return .failed(RequestFailure(retryAfter: wish, detail: detail))
    }
    switch (response.status, code) {
    case (200...299, _):
      if request.purpose == .removal {
        self =
          response.status == 204
          ? .accepted(ReportAnswer()) : failed("no answer of the server")
      } else if let answer, answer.confirms(request) {
        self = .accepted(ReportAnswer(answer, isNew: response.status == 201))
      } else {
        self = failed("no answer of the server")
      }
    case (404, "installation_not_found"): self = .missing
    case (403, let code?) where request.purpose == .removal && Self.foreign.contains(code):
      // A new installation would not remove the old one.
      self = .refused(code)
    case (403, "installation_secret_wrong"): self = .secretRefused
    case (403, "installation_claim_needed"):
      self = request.bringsToken ? .secretRefused : .unclaimed
    case (400, let code?), (413, let code?), (415, let code?), (422, let code?):
      self = .refused(code)
    default: self = failed(code)
    }
  }
}

extension RequestOutcome {
  /// The installation is not this one's, as far as the server knows.
  private static let foreign: Set = ["installation_secret_wrong", "installation_claim_needed"]
}

/// A failure after which a request is sent again.
struct RequestFailure: Hashable, Sendable {
  /// Seconds that the server asked for.
  var retryAfter: TimeInterval?
  /// The code of the server's problem, or the error of the system.
  var detail: String
  /// Whether the request may reach the server all the same, even later.
  var mayHaveArrived = false
}

extension RequestFailure {
  /// There was no answer.
  init(_ error: any Error) {
    let codes: [URLError.Code] = [
      .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed,
      .dataNotAllowed, .internationalRoamingOff,
    ]
    let isUnsent = (error as? URLError).map { codes.contains($0.code) } ?? false
    let system = error as NSError
    self.init(detail: "\(system.domain) \(system.code)", mayHaveArrived: !isUnsent)
  }
}

/// What the answer to a report says.
struct ReportAnswer: Hashable, Sendable {
  /// `false` when the report was older than what is stored, and changed nothing.
  var isApplied = true
  /// Whether the server had no such installation before.
  var isNew = false
  /// The time of the newest report, by the server.
  var reportedAt: Date?
  /// When the installation was made, as the server writes it.
  var createdAt: String?
  /// What was left out of the report.
  var ignored: [Ignored] = []

  /// A part of a report that the server did not take.
  struct Ignored: Decodable, Hashable, Sendable {
    /// Its place in the body (RFC 6901).
    var pointer: String
    var code: String
  }

  /// Why the person was left out of the report: a code such as `identity_token_expired`.
  var refusedUser: String? { ignored.first { $0.pointer == Self.userPointer }?.code }
  /// What else was left out.
  var leftOut: [Ignored] { ignored.filter { $0.pointer != Self.userPointer } }

  private static let userPointer = "/user"
}

extension ReportAnswer {
  fileprivate init(_ body: AnswerBody, isNew: Bool) {
    self.isNew = isNew
    isApplied = body.applied ?? true
    reportedAt = body.reportedAt.flatMap(ServerTime.date)
    createdAt = body.createdAt
    ignored = body.ignored ?? []
  }
}

/// The members of all answers that the client reads.
private struct AnswerBody: Decodable {
  /// The code of a problem of the service, whose `type` has it, too; `nil` for anything else.
  var problem: String? { type == code.map { "urn:postilion:problem:\($0)" } ? code : nil }

  /// Whether it says that a request was done, and not just what is stored, as the answer to a `GET`
  /// would that a redirect made of it.
  func confirms(_ request: ClientRequest) -> Bool {
    switch request.purpose {
    case .report:
      applied != nil && installation.map { request.path.hasSuffix("/\($0.lowercased())") } ?? false
    case .failure(let failure): id?.lowercased() == failure.uuidString.lowercased()
    case .removal: false
    }
  }

  var type: String?
  var code: String?
  var id: String?
  var installation: String?
  var applied: Bool?
  var reportedAt: String?
  var createdAt: String?
  var ignored: [ReportAnswer.Ignored]?

  private enum CodingKeys: String, CodingKey {
    case type, code, id, applied, ignored
    case installation = "installation_id"
    case reportedAt = "reported_at"
    case createdAt = "created_at"
  }
}
