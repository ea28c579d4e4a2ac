internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// An element of a list as answers show it. Its JSON is an object: an item of a page, and a line of
/// a stream.
protocol ListItem: JSONWritable, Sendable {
  static var fields: ItemFields<Self> { get }
}

extension ListItem {
  func write(to writer: inout JSONWriter) { Self.fields.write(self, to: &writer) }
}

/// The forms in which every list is answered, by what `Accept` prefers.
enum ListForm: String, Sendable, CaseIterable {
  /// A number of items, and the place where the next page begins.
  case page = "application/json"
  /// All items, one a line.
  case lines = "application/x-ndjson"
  /// All items as a table.
  case table = "text/csv"

  /// The form that the client prefers. A client that takes none of the forms gets pages.
  init(_ request: Request) {
    let offers = Self.allCases.map(\.rawValue)
    self =
      MediaType.preferred(accept: request.head.header("accept"), among: offers)
      .flatMap(Self.init) ?? .page
  }

  fileprivate var contentType: String {
    self == .table ? "text/csv; charset=utf-8; header=present" : rawValue
  }
}

/// The part of a list that a client wants, and its form.
struct ListSpan<Position: Codable & Sendable>: Sendable {
  let form: ListForm
  /// Items of a page; `nil` for all items. A statement binds one more, or null: the further item
  /// says whether there is a next page.
  let limit: Int?
  /// The last item of the page before.
  let after: Position?
}

extension QueryReader {
  /// `limit` and `cursor` of a list; a stream is the whole list and takes neither.
  /// - Parameter pageMaximum: Items of a page, when they are large.
  mutating func span<Position>(
    _ position: Position.Type, pageMaximum: Int = RegistryLimits.pageMaximum
  ) -> ListSpan<Position> {
    guard form != .page else {
      return ListSpan(form: form, limit: min(limit(), pageMaximum), after: cursor())
    }
    for name in ["limit", "cursor"] where text(name) != nil {
      refuse(name, .unknownField, "\(form.rawValue) is the whole list and takes no \(name).")
    }
    return ListSpan(form: form, limit: nil, after: nil)
  }
}

/// A list on its way out: a page, or items that are still being read.
struct ListAnswer<Item: ListItem>: Sendable {
  private enum Content: Sendable {
    case page([Item], nextCursor: String?)
    case stream(ListForm, first: [Item], rest: @Sendable () async throws -> [Item]?)
  }
  private let content: Content
  private let shared: Shared

  var isEmpty: Bool {
    switch content {
    case .page(let items, _): items.isEmpty
    case .stream(_, let first, _): first.isEmpty
    }
  }

  /// The list that begins with these rows.
  /// - Parameters:
  ///   - rows: The rows after `span.after`; more than its limit when there is a next page.
  ///   - shared: Its threads write a stream, and its observation hears of a stream that breaks off.
  ///   - rest: The rows that follow in a stream, a portion at a time.
  init<Row, Position>(
    _ rows: [Row], _ span: ListSpan<Position>, view: @escaping @Sendable (Row) -> Item,
    position: (Row) -> Position, shared: Shared,
    rest: @escaping @Sendable () async throws -> [Row]? = { nil }
  ) throws {
    self.shared = shared
    if let limit = span.limit {
      let shown = rows.prefix(limit)
      let last = rows.count > limit ? shown.last : nil
      content = .page(
        shown.map(view), nextCursor: try last.map { try Cursor(key: position($0)).text })
    } else {
      content = .stream(span.form, first: rows.map(view), rest: { try await rest()?.map(view) })
    }
  }

  func response(to request: Request) -> Response {
    var response: Response
    switch content {
    case .page(let items, let nextCursor):
      var writer = JSONWriter(capacity: 4096)
      writer.object { writer in
        writer.member("items", items)
        writer.member("next_cursor", nextCursor)
      }
      response = .json(text: writer.bytes)
    case .stream(let form, let first, let rest):
      let (requestID, share, shared) = (request.requestID, request.workShare, shared)
      response = Response(.ok, contentType: form.contentType) { body in
        try await Self.write(form, first, rest, shared.workers.requests, share, to: body) { error in
          shared.observation.streamFailed(error, requestID: requestID)
        }
      }
    }
    response.fields.append("Vary", "Accept")
    return response
  }

  /// Writes all items, each portion made on a thread. A portion that cannot be read ends the answer
  /// without its proper end, so that the answer does not pass for the whole list; an answer of
  /// lines says why.
  private static func write(
    _ form: ListForm, _ first: [Item], _ rest: () async throws -> [Item]?,
    _ workers: WorkerThreads, _ share: WorkShare, to body: any BodyWriter,
    explain: (any Error) -> [UInt8]
  ) async throws {
    var piece: [UInt8] = []
    if form == .table { CSVText.append(Item.fields.columns.map(\.name), to: &piece) }
    var portion: [Item]? = first
    while let items = portion {
      piece += try await workers.run(isUnderWay: true, for: share) { text(of: items, form) }
      if piece.count >= Limits.linesPieceBytes {
        try await body.write(piece)
        piece.removeAll(keepingCapacity: true)
      }
      do {
        portion = try await rest()
      } catch let error where !(error is CancellationError) {
        let problem = explain(error)
        if form == .lines { piece += Problem.line(problem) }
        try await body.write(piece)
        throw error
      }
    }
    try await body.write(piece)
  }

  /// The lines of a portion.
  private static func text(of items: [Item], _ form: ListForm) -> [UInt8] {
    var text: [UInt8] = []
    let columns = Item.fields.columns
    for item in items {
      if form == .table {
        CSVText.append(columns.lazy.map { $0.cell?(item) }, to: &text)
      } else {
        text += item.json
        text.append(UInt8(ascii: "\n"))
      }
    }
    return text
  }
}

extension Call {
  /// Reads a list: a page at once, or the beginning of a stream.
  func list<Row, Item, Position>(
    _ query: Query<Row>, _ span: ListSpan<Position>, view: @escaping @Sendable (Row) -> Item,
    position: (Row) -> Position, from database: PostgresClient
  ) async throws -> ListAnswer<Item> {
    guard span.form != .page else {
      let rows = try await database.read(query)
      return try ListAnswer(
        rows, span, view: view, position: position, shared: context.shared)
    }
    let stream = try await database.open(query, for: request.holder)
    let permission = Permission(self)
    // A list that cannot be read at all becomes an error answer, and not the beginning of a list.
    let first = try await stream.next() ?? []
    return try ListAnswer(
      first, span, view: view, position: position, shared: context.shared
    ) {
      try permission.check()
      return try await stream.next()
    }
  }
}

extension Endpoint {
  /// A list that one query reads.
  /// - Parameters:
  ///   - decode: Makes the query from the list's filters in the request.
  ///   - position: The part of the last row of a page that a cursor keeps.
  ///   - pageMaximum: Items of a page, whatever the caller wants, when they are large.
  ///   - mayLag: Whether the list may lack the changes of the last seconds.
  ///   - checkEmpty: Called for a list without items; throws if the thing that the list belongs to
  ///     is not there.
  static func list<Row, Item: ListItem, Position: Codable & Sendable>(
    _ pattern: String, _ operation: String, _ access: Access,
    view: @escaping @Sendable (Row) -> Item, position: @escaping @Sendable (Row) -> Position,
    pageMaximum: Int = RegistryLimits.pageMaximum, mayLag: Bool = false,
    checkEmpty: @escaping @Sendable (Call) async throws -> Void = { _ in },
    decode:
      @escaping @Sendable (
        Request, inout QueryReader, ListSpan<Position>
      ) throws -> Query<Row>
  ) -> Endpoint {
    Endpoint(
      .get, pattern, operation, access, encodesApart: true,
      decode: { request, query in
        let span = query.span(Position.self, pageMaximum: pageMaximum)
        return (rows: try decode(request, &query, span), span: span)
      },
      perform: { list, call in
        func read(_ database: PostgresClient) async throws -> ListAnswer<Item> {
          try await call.list(
            list.rows, list.span, view: view, position: position, from: database)
        }
        let answer =
          mayLag
          ? try await call.context.readBehind(read) : try await read(call.context.database)
        if answer.isEmpty, list.span.after == nil { try await checkEmpty(call) }
        return answer
      },
      encode: { answer, request in answer.response(to: request) })
  }
}
