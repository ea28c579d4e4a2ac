internal import ASCII
internal import HTTP
internal import JSON
internal import Registry

/// The forms in which changes are answered, by what `Accept` prefers.
enum ChangeForm: String, Sendable, CaseIterable {
  /// A page of changes, and the reader's cursor after it.
  case page = "application/json"
  /// One change on each line.
  case lines = "application/x-ndjson"
  /// Server-sent events (HTML standard, section 9.2).
  case events = "text/event-stream"
}

/// The query and the header fields of `GET …/changes`.
struct ChangesRequest: Sendable {
  let appID: Int32
  let start: ChangeStart
  let form: ChangeForm
  /// The number of changes in a page.
  let limit: Int
  /// Whether the answer goes on with later changes.
  let follows: Bool

  init(_ request: Request, _ query: inout QueryReader) {
    appID = request.app.id
    let asksToFollow = query.parsed("follow", .unknownValue, "follow is true or false.") {
      Bool($0)
    }
    let accepted = MediaType.preferred(
      accept: request.head.header("accept"), among: ChangeForm.allCases.map(\.rawValue)
    ).flatMap(ChangeForm.init)
    // Only a stream can go on.
    let form = accepted == .page && asksToFollow == true ? .lines : accepted ?? .page
    follows = form == .events ? asksToFollow ?? true : form == .lines && asksToFollow ?? false
    let after = query.text("after")
    let asked = query.start("after", after)
    // A browser that comes back repeats its first address, and names its place in this field.
    let resumed = query.start("Last-Event-ID", request.head.header("last-event-id"))
    start = resumed ?? asked ?? .beginning
    if form == .page {
      limit = query.limit()
    } else {
      limit = Limits.changesPerRead
      if query.text("limit") != nil {
        query.refuse("limit", .unknownField, "\(form.rawValue) is a stream and takes no limit.")
      }
    }
    self.form = form
  }
}

extension QueryReader {
  fileprivate mutating func start(_ name: String, _ text: String?) -> ChangeStart? {
    guard let text else { return nil }
    if text.isSpelled(like: "now") { return .end }
    guard let cursor = ChangeCursor(text) else {
      refuse(name, .unknownValue, "\(name) is now, or a cursor that this feed gave.")
      return nil
    }
    return .cursor(cursor)
  }
}
