internal import EventLoop
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Changes on their way to a reader, from the first page: up to the newest change, or without end.
/// The database is asked for more when the reader has taken the page before.
struct ChangeStream: Sendable {
  let question: ChangesRequest
  let first: ChangePage
  let context: LoopContext
  let permission: Permission
  let followers: ChangeFollowers
  /// The place of the follower; `nil` for a stream that does not follow.
  let seat: FollowerSeat?

  /// The answer, which ends with the reader's connection.
  func response(to request: Request) -> Response {
    let requestID = request.requestID
    var response = Response(.ok, contentType: question.form.rawValue) { body in
      do {
        try await write(to: body)
      } catch let error where !(error is CancellationError) {
        let problem = context.shared.observation.streamFailed(error, requestID: requestID)
        try await body.write(
          question.form == .events
            ? Array("event: problem\ndata: ".utf8) + problem + Array("\n\n".utf8)
            : Problem.line(problem))
        throw error
      }
    }
    response.fields.append("Cache-Control", "no-store")
    // Proxies that buffer answers must not buffer this one.
    response.fields.append("X-Accel-Buffering", "no")
    return response
  }

  private func write(to body: any BodyWriter) async throws {
    let reader = ChangeReader(context)
    var page = first
    var isCaughtUp = false
    while true {
      try permission.check()
      try await body.write(text(of: page))
      if page.hasMore {
        let next = try await reader.pages(behind: [place(of: page)], limit: question.limit)
        page = try checked(next[0], behind: page)
        continue
      }
      guard question.follows else { return }
      // The heartbeat tells the reader that it has all changes, and the cursor to come back with.
      if !isCaughtUp || page.changes.isEmpty { try await body.write(heartbeat(of: page)) }
      isCaughtUp = true
      try await body.flush()
      guard let next = try await followers.next(behind: place(of: page), on: context) else {
        return
      }
      page = try checked(next, behind: page)
    }
  }

  private func place(of page: ChangePage) -> ChangePlace {
    ChangePlace(
      appID: question.appID, position: page.cursor.position, epoch: page.cursor.epoch)
  }

  /// Throws if the reader stood still for too long, or if its database was changed under it.
  private func checked(_ next: ChangePage, behind page: ChangePage) throws -> ChangePage {
    if let loss = page.cursor.loss(in: next.life, goesOn: next.goesOn) { throw Problem(loss) }
    return next
  }

  // MARK: Text

  private func text(of page: ChangePage) -> [UInt8] {
    var text: [UInt8] = []
    for change in page.changes {
      var writer = JSONWriter()
      change.write(to: &writer, in: page.life)
      if question.form == .events {
        text += "id: \(change.cursor(in: page.life).text)\ndata: ".utf8
        text += writer.bytes
        text += "\n\n".utf8
      } else {
        text += writer.bytes
        text.append(UInt8(ascii: "\n"))
      }
    }
    return text
  }

  /// A line that says that nothing happened, and how far the reader has come. A browser reports no
  /// event without data, but keeps its id.
  private func heartbeat(of page: ChangePage) -> [UInt8] {
    if question.form == .events {
      return Array(": heartbeat\nid: \(page.cursor.text)\n\n".utf8)
    }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("cursor", page.cursor.text)
      writer.member("heartbeat", page.cursor.at.rfc3339)
    }
    return writer.bytes + Array("\n".utf8)
  }
}
