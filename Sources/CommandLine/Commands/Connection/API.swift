internal import ASCII
internal import HTTPClient
internal import JSON

/// Calls of a service's HTTP API.
final class API {
  /// An answer with a status of success.
  struct Answer {
    let status: Int
    let body: [UInt8]
    /// Its `ETag`, by which a change can say what it is a change of.
    let entityTag: String?

    /// The body as JSON.
    var json: JSONValue { JSONValue(parsing: body) ?? .null }
  }

  /// What is sent, with its media type.
  struct Content {
    let type: String
    let body: HTTPRequest.Body

    static func json(_ members: JSONObject) -> Content {
      json(JSONValue.object(members).json)
    }

    /// Bytes that are JSON already.
    static func json(_ bytes: [UInt8]) -> Content {
      Content(type: "application/json", body: .bytes(bytes))
    }
  }

  private let destination: Destination
  private let version: String
  private let client: HTTPClient

  init(_ destination: Destination, version: String) {
    self.destination = destination
    self.version = version
    client = HTTPClient(authorities: destination.authorities)
  }

  /// Makes a call and reads the whole answer.
  func call(
    _ method: String, _ path: APIPath, _ content: Content? = nil,
    fields: [(name: String, value: String)] = []
  ) throws(Exit) -> Answer {
    var body: [UInt8] = []
    let head = try send(method, path, content, fields) { _, piece in
      body += piece
      return body.count <= CommandLimits.answerBytes
    }
    guard (200..<300).contains(head.status) else {
      throw Problem(status: head.status, body: body).exit
    }
    return Answer(status: head.status, body: body, entityTag: head["ETag"])
  }

  /// Makes a call and hands the answer on as it comes, line by line, without the ends of lines.
  func lines(
    _ method: String, _ path: APIPath, _ content: Content? = nil,
    accept: String = "application/x-ndjson",
    each line: (ArraySlice<UInt8>) throws(Exit) -> Void
  ) throws(Exit) {
    var cutter = LineCutter(bound: CommandLimits.lineBytes)
    var problem: [UInt8] = []
    var end: Exit?
    let head = try withoutActuallyEscaping(line) { line throws(Exit) in
      do throws(Exit) {
        return try send(method, path, content, [("Accept", accept)]) { head, piece in
          guard head.status == 200 else {
            problem += piece
            return problem.count <= CommandLimits.answerBytes
          }
          cutter.append(Array(piece))
          do throws(Exit) {
            for bytes in (cutter.take(atMost: .max) ?? []).split(separator: UInt8(ascii: "\n")) {
              try line(bytes)
            }
          } catch {
            end = error
          }
          return end == nil && cutter.count <= CommandLimits.lineBytes
        }
      } catch {
        throw end ?? error
      }
    }
    guard head.status == 200 else { throw Problem(status: head.status, body: problem).exit }
    if let last = cutter.finish() { try line(last[...]) }
  }

  private func send(
    _ method: String, _ path: APIPath, _ content: Content?,
    _ fields: [(name: String, value: String)],
    _ receive: (HTTPResponseHead, UnsafeRawBufferPointer) -> Bool
  ) throws(Exit) -> HTTPResponseHead {
    var request = HTTPRequest(method, destination.url + path.text)
    request.fields = [("User-Agent", "postilion/\(version)")] + fields
    if let key = destination.key { request.fields.append(("Authorization", "Bearer \(key)")) }
    if let content {
      request.fields.append(("Content-Type", content.type))
      request.body = content.body
    }
    do throws(HTTPClientError) {
      return try withoutActuallyEscaping(receive) { receive throws(HTTPClientError) in
        try client.perform(request, receive: receive)
      }
    } catch {
      throw exit(error)
    }
  }

  private func exit(_ error: HTTPClientError) -> Exit {
    let (url, words) = (destination.url, error.description)
    return switch error.cause {
    case .address: Exit(ExitCode.usage, "\(url) is no address: \(words).")
    case .connection, .refused:
      Exit(
        ExitCode.unavailable,
        "\(url) cannot be reached: \(words). POSTILION_URL, --url or a profile says where it is.")
    case .trust: Exit(ExitCode.unavailable, "\(url) is not trusted: \(words).")
    case .timeout: Exit(ExitCode.unavailable, "\(url) took too long: \(words).")
    case .stopped: Exit(ExitCode.transfer, "The answer of \(url) is larger than it should be.")
    case .transfer: Exit(ExitCode.unavailable, "\(url) broke off: \(words).")
    }
  }
}
