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

  init(_ request: Request, _ query: inout QueryReader) throws {
    let filter = InstallationFilter(appID: request.app.id, from: &query)
    let keys = InstallationSort.Key.allCases.map(\.rawValue).joined(separator: ", ")
    let sort =
      query.parsed(
        "sort", .unknownValue, "sort is one of \(keys); - in front reverses it.",
        InstallationSort.init) ?? .standard
    span = query.span(InstallationPosition.self)
    if let position = span.after, position.sort != sort.text {
      query.refuse("cursor", .unknownValue, "The cursor belongs to sort=\(position.sort).")
    }
    list = InstallationList(
      filter: filter, sort: sort, after: span.after?.place, limit: span.limit)
  }

  func run(_ call: Call) async throws -> ListAnswer<InstallationView> {
    guard span.form != .page else {
      return try ListAnswer(
        await call.context.readBehind { try await list.page($0) }, span,
        view: InstallationView.init(stored:),
        position: list.sort.position, shared: call.context.shared)
    }
    return try await call.context.readBehind { database in
      try await call.list(
        .listInstallations(list.source(database)), span,
        view: InstallationView.init(stored:), position: list.sort.position, from: database)
    }
  }
}

extension InstallationView {
  fileprivate init(stored: Installation) { self.init(installation: stored) }
}
