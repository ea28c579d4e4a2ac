internal import HTTP
internal import JSON
internal import Telemetry

/// The changes of an app in one order, with none missing, for readers that keep a copy of the
/// registered installations or act on changes.
struct Changes: Sendable {
  let followers = ChangeFollowers()

  init(_ observation: Observation) {
    observation.metrics.gauge(
      "postilion_change_followers", "Streams that follow the changes.",
      reading: { [followers] in Double(followers.count) })
  }

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/apps/{app}/changes", "listChanges", .backends, encodesApart: true,
        senderAudit: .exports(continuedBy: "after"),
        decode: ChangesRequest.init,
        perform: answer,
        encode: { answer, request in
          var response = answer.response(to: request)
          response.fields.append("Vary", "Accept")
          return response
        })
    ]
  }

  private func answer(_ question: ChangesRequest, _ call: Call) async throws -> Answer {
    let seat = question.follows ? try followers.takePlace(for: call.holder) : nil
    // If the first page cannot be read, the answer is an error, not the beginning of a stream.
    let first = try await ChangeReader(call.context).first(
      question.start, of: question.appID, limit: question.limit)
    guard question.form != .page else { return .page(first) }
    return .stream(
      ChangeStream(
        question: question, first: first, context: call.context, permission: Permission(call),
        followers: followers, seat: seat))
  }

  private enum Answer: Sendable {
    case page(ChangePage)
    case stream(ChangeStream)

    func response(to request: Request) -> Response {
      switch self {
      case .page(let page):
        var writer = JSONWriter(capacity: 4096)
        writer.object { writer in
          writer.member("has_more", page.hasMore)
          writer.key("items")
          writer.array(page.changes) { writer, change in change.write(to: &writer, in: page.life) }
          writer.member("next_cursor", page.cursor.text)
        }
        return .json(text: writer.bytes)
      case .stream(let stream): return stream.response(to: request)
      }
    }
  }
}
