internal import ASCII
internal import Content
internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// The one table of error answers: code, status, title. A code is never used again for another
/// meaning.
struct ProblemKind: Sendable, Hashable {
  let code: String
  let status: Status
  let title: String

  private init(_ code: String, _ status: Status, _ title: String) {
    self.code = code
    self.status = status
    self.title = title
  }

  static let malformedJSON = Self("malformed_json", .badRequest, "The body is not JSON")
  static let duplicateMember = Self(
    "duplicate_member", .badRequest, "A member of the body is there twice")
  static let malformedBody = Self("malformed_body", .badRequest, "The body is malformed")
  static let invalidPath = Self("invalid_path", .badRequest, "The path is malformed")
  static let clientLeft = Self("client_left", .badRequest, "Nobody waits for the answer")
  static let missingKey = Self("missing_key", .unauthorized, "An API key is needed")
  static let invalidKey = Self("invalid_key", .unauthorized, "The API key is not valid")
  static let keyKind = Self("key_kind_forbidden", .forbidden, "Not for this kind of key")
  static let secretNeeded = Self(
    "installation_secret_missing", .forbidden, "The installation's secret is needed")
  static let secretWrong = Self(
    "installation_secret_wrong", .forbidden, "The installation's secret is wrong")
  static let claimNeeded = Self(
    "installation_claim_needed", .forbidden, "The installation is not the app's yet")
  static let installationClaimed = Self(
    "installation_claimed", .conflict, "The installation is the app's already")
  static let routeNotFound = Self("not_found", .notFound, "There is nothing at this path")
  static let appNotFound = Self("app_not_found", .notFound, "There is no such app")
  static let keyNotFound = Self("key_not_found", .notFound, "There is no such key")
  static let installationNotFound = Self(
    "installation_not_found", .notFound, "There is no such installation")
  static let credentialNotFound = Self(
    "credential_not_found", .notFound, "The installation has no such credential")
  static let tokenNotFound = Self("token_not_found", .notFound, "There is no such token")
  static let catalogNotFound = Self("catalog_not_found", .notFound, "There is no such catalog")
  static let webhookNotFound = Self("webhook_not_found", .notFound, "There is no such webhook")
  static let deliveryNotFound = Self(
    "delivery_not_found", .notFound, "There is no such delivery")
  static let methodNotAllowed = Self(
    "method_not_allowed", .methodNotAllowed, "This path does not know the method")
  static let conflict = Self("conflict", .conflict, "The state changed meanwhile")
  static let idTaken = Self("id_taken", .conflict, "The id is taken")
  static let lastRootKey = Self("last_root_key", .conflict, "The last root key stays")
  static let noUsableCredential = Self(
    "no_usable_credential", .conflict, "There is no token to send to")
  static let messageNotFound = Self("message_not_found", .notFound, "There is no such message")
  static let messageUnreadable = Self(
    "message_unreadable", .conflict, "The message is of another release")
  static let channelNotFound = Self("channel_not_found", .notFound, "There is no such channel")
  static let channelNotCreated = Self(
    "channel_not_created", .conflict, "APNs does not have the channel")
  static let channelFixed = Self("channel_fixed", .conflict, "A channel of APNs does not change")
  static let versionMismatch = Self(
    "version_mismatch", .preconditionFailed, "The version is another one")
  static let changesGone = Self(
    "changes_gone", .gone, "Changes after the cursor are gone")
  static let denied = Self("denied", .conflict, "The person denied what the message shows")
  static let payloadTooLarge = Self(
    "payload_too_large", .unprocessableContent, "The payload is too large")
  static let nothingToShow = Self(
    "nothing_to_show", .unprocessableContent, "There is nothing to show")
  static let audienceTooLarge = Self(
    "audience_too_large", .unprocessableContent, "The recipient has too many devices")
  static let environmentNeedsTokens = Self(
    "environment_needs_tokens", .unprocessableContent, "The environment needs its tokens")
  static let tooManyTakeovers = Self(
    "token_takeovers_exceeded", .tooManyRequests, "The token changed hands too often")
  static let rateLimited = Self("rate_limited", .tooManyRequests, "There are too many calls")
  static let quotaExceeded = Self(
    "quota_exceeded", .tooManyRequests, "The app has all that it may have")
  static let catalogQuotaExceeded = Self(
    "catalog_quota_exceeded", .conflict, "The app has all the catalogs that it may have")
  static let bodyTooLarge = Self("body_too_large", .contentTooLarge, "The body is too large")
  static let mediaType = Self(
    "unsupported_media_type", .unsupportedMediaType, "The body has the wrong media type")
  static let contentEncoding = Self(
    "unsupported_content_encoding", .unsupportedMediaType, "The body is compressed")
  static let invalidInput = Self(
    "invalid_input", .unprocessableContent, "The input cannot be processed")
  static let overloaded = Self("overloaded", .serviceUnavailable, "Too much is going on")
  static let databaseUnavailable = Self(
    "database_unavailable", .serviceUnavailable, "The database cannot be used")
  static let appMoving = Self("app_moving", .serviceUnavailable, "The app is being moved")
  static let internalError = Self(
    "internal_error", .internalServerError, "Something went wrong here")

  /// Errors of the HTTP parser have codes and statuses of their own.
  static func malformedRequest(_ error: ParseError) -> Self {
    Self(error.code, error.status, "The request is malformed")
  }
}

/// An error on its way to the client, with a part that the client may read and a part that only the
/// log may have.
struct Problem: Error, Sendable {
  let kind: ProblemKind
  /// One sentence for the developer of the client.
  let detail: String
  var errors: [InputProblem]?
  /// Further response fields.
  var fields: [(String, String)] = []
  /// For the log only.
  var logDetail: String?

  init(
    _ kind: ProblemKind, _ detail: String, errors: [InputProblem]? = nil,
    fields: [(String, String)] = [], logDetail: String? = nil
  ) {
    self.kind = kind
    self.detail = detail.shortened(to: InputLimits.detailBytes)
    self.errors = errors
    self.fields = fields
    self.logDetail = logDetail
  }

  /// Adopts any error that a request can end with.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let failure as InputFailure: self.init(failure)
    case let failure as RegistryFailure: self.init(failure)
    case let failure as ContentFailure: self.init(failure)
    case let failure as FloodFailure: self.init(failure)
    case let error as PostgresError: self.init(error)
    case is WorkRefused:
      self.init(
        .overloaded, "Too many large requests wait already; try again.",
        fields: [("Retry-After", "\(Limits.workRetrySeconds)")])
    case is CancellationError:
      self.init(
        .clientLeft,
        "You ended your side of the connection before the answer was made: keep it open until you "
          + "have it.")
    case let error as ParseError: self.init(.malformedRequest(error), error.detail)
    case let error as BodyTooLarge:
      let size = error.length.map { "\($0) bytes" } ?? "too many bytes"
      self.init(.bodyTooLarge, "The body has \(size); here at most \(error.limit) are taken.")
    case is NoRoomForBody:
      self.init(
        .overloaded, "Others fill the memory there is for clients; try again.",
        fields: [("Retry-After", "1")])
    default:
      self.init(.internalError, Self.internalDetail, logDetail: String(reflecting: error))
    }
  }

  private init(_ failure: InputFailure) {
    let first = failure.problems.first
    let detail = first?.detail ?? "The input cannot be processed."
    let kind: ProblemKind =
      switch first?.code {
      case InputFault.malformedJSON.rawValue: .malformedJSON
      case InputFault.duplicateMember.rawValue: .duplicateMember
      case InputFault.environmentNeedsTokens.rawValue: .environmentNeedsTokens
      default: .invalidInput
      }
    self.init(
      kind, first?.position.map { "At \($0.text): \(detail)" } ?? detail,
      errors: failure.problems)
  }

  private init(_ failure: RegistryFailure) {
    switch failure {
    case .input(let failure): self.init(failure)
    case .environmentNeedsTokens: self.init(InputFailure.environmentNeedsTokens)
    case .takeovers(let seconds):
      self.init(
        .tooManyTakeovers,
        "This token was taken over too often within a day, or its owner came back for it.",
        fields: [("Retry-After", "\(seconds)")])
    case .outrun:
      self.init(
        .conflict, "Others keep changing this installation or its tokens; try again.",
        fields: [("Retry-After", "1")])
    }
  }

  private init(_ failure: ContentFailure) {
    switch failure {
    case .catalogNotFound:
      self.init(.catalogNotFound, "The app has no catalog of that version.")
    case .catalogOutrun:
      self.init(
        .conflict, "Others keep replacing this catalog; try again.",
        fields: [("Retry-After", "1")])
    case .messageNotFound: self.init(.messageNotFound, "There is no such message in this app.")
    case .messageUnreadable:
      self.init(
        .messageUnreadable, "Another release stored the message, and this one cannot read it.")
    case .channelNotFound: self.init(.channelNotFound, "There is no such channel in this app.")
    case .channelNotCreated:
      self.init(
        .channelNotCreated,
        "APNs has not made this channel, or has it no more. `requests.create` of the channel is "
          + "what makes it; then report the id.")
    case .channelOfOtherType:
      self.init(
        InputFailure(
          .unknownValue, at: "/message/live_activity/input_push_channel",
          "The channel is for activities of another type."))
    case .appDeleted: self.init(.appNotFound, "The app was deleted just now.")
    }
  }

  private init(_ failure: FloodFailure) {
    switch failure {
    case .tooMany(let standing):
      self.init(
        .rateLimited, "\(standing.limit.detail) Try again after \(standing.seconds) s.",
        fields: [("Retry-After", "\(standing.seconds)")] + standing.fields)
    case .quota(.catalogBytes, let limit):
      self.init(
        .catalogQuotaExceeded,
        "With these files the catalogs of the app would take more than \(limit) bytes. Delete "
          + "those of builds that are no longer in use.")
    case .quota(.installations, let limit):
      self.init(quota: "The app has all the installations that it may have.", limit)
    case .quota(.failures, let limit):
      self.init(quota: "The app has all the failures of a day that it may have.", limit)
    }
  }

  private init(quota detail: String, _ limit: Int) {
    self.init(
      .quotaExceeded, "\(detail) The bound is \(limit).",
      fields: [("Retry-After", "\(FloodLimits.quotaRetrySeconds)")])
  }

  /// The detail of an internal error: the client gets no more.
  static let internalDetail = "The log has more under the request id."

  /// The document of RFC 9457, with our extension members.
  func json(requestID: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("type", "urn:postilion:problem:\(kind.code)")
      writer.member("title", kind.title)
      writer.member("status", kind.status.code)
      writer.member("code", kind.code)
      writer.member("detail", detail)
      writer.member("request_id", requestID)
      if let errors { writer.member("errors", errors) }
    }
    return writer.bytes
  }

  /// The last line of lines that break off.
  static func line(_ json: [UInt8]) -> [UInt8] {
    Array("{\"error\":".utf8) + json + Array("}\n".utf8)
  }

  func response(requestID: String) -> Response {
    var response = Response(
      kind.status, contentType: "application/problem+json", bytes: json(requestID: requestID))
    for (name, value) in fields { response.fields.append(name, value) }
    return response
  }
}

extension InputFailure {
  /// A token is of one of APNs' environments, and the other refuses it.
  static let environmentNeedsTokens = InputFailure(
    .environmentNeedsTokens, at: "/environment",
    "The stored tokens are of the other environment: bring the tokens of this one in the same "
      + "call, and null for a kind that has none.")
}
