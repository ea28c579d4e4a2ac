internal import DeviceProfile
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// The filters, the order and the span of `GET …/installations`.
struct InstallationQuery: Sendable {
  private let list: InstallationList
  private let span: ListSpan<InstallationPosition>

  /// Reads the query string.
  init(_ call: Call) throws {
    var query = try QueryReader(call)
    let filter = query.installationFilter(appID: try call.app.id)
    let sort =
      query.parsed(
        "sort", .unknownValue,
        "sort is created_at, last_seen_at, registered_at or installation_id; - reverses it.",
        InstallationSort.init) ?? .standard
    span = query.span(InstallationPosition.self)
    if let position = span.after, position.sort != sort.text {
      query.refuse("cursor", .unknownValue, "The cursor belongs to sort=\(position.sort).")
    }
    try query.finish()
    list = InstallationList(
      filter: filter, sort: sort, after: span.after?.place, limit: span.limit)
  }

  /// Reads the list.
  func run(_ call: Call) async throws -> ListAnswer<InstallationView> {
    guard span.form != .page else {
      return ListAnswer(
        try await list.page(call.context.database), span, view: InstallationView.init(stored:),
        position: list.sort.position)
    }
    return try await stream(list.sort.order, call)
  }

  private func stream<Order: InstallationOrder>(
    _ order: Order.Type, _ call: Call
  ) async throws -> ListAnswer<InstallationView> {
    let all = ListInstallations<Order>(source: try await list.source(call.context.database))
    return try await call.list(
      all, span, view: InstallationView.init(stored:), position: list.sort.position)
  }
}

extension InstallationView {
  fileprivate init(stored: Installation) { self.init(installation: stored) }
}

extension QueryReader {
  /// The filters of installations.
  fileprivate mutating func installationFilter(appID: Int32) -> InstallationFilter {
    var filter = InstallationFilter(appID: appID)
    filter.userIDs = text("user", maximum: RegistryLimits.userIDBytes).map { [$0] }
    filter.tag = text("tag", maximum: RegistryLimits.tagBytes)
    filter.language = parsed(
      "language", .invalidLanguage, "language is a language tag or the beginning of one: zh-Hant."
    ) { LanguageTag($0)?.text }
    filter.platform = word("platform")
    filter.environment = word("environment")
    filter.localization = word("localization")
    filter.backgroundRefresh = word("background_refresh")
    filter.status = word("status")
    filter.credential = word("credential")
    filter.token = parsed(
      "token", .unknownValue,
      "token is at least \(RegistryLimits.tokenPrefixDigits) hex digits of a device token.",
      maximum: RegistryLimits.deviceTokenMaximumBytes * 2
    ) { TokenPrefix($0) }
    filter.appVersion = versions("app_version")
    filter.osVersion = versions("os_version")
    filter.registered = times("registered")
    filter.seen = times("seen")
    return filter
  }

  /// A version, `name[gte]` and `name[lt]`.
  private mutating func versions(_ name: String) -> Bounds<Version> {
    func version(_ name: String) -> Version? {
      parsed(
        name, .unreadableVersion, "\(name) is up to four dotted numbers, such as 3.2.0.",
        Version.init)
    }
    return Bounds(
      exactly: version(name), from: version("\(name)[gte]"), below: version("\(name)[lt]"))
  }

  /// `name_since` and `name_until`.
  private mutating func times(_ name: String) -> Bounds<Timestamp> {
    Bounds(from: timestamp("\(name)_since"), below: timestamp("\(name)_until"))
  }
}
