internal import HTTP
internal import JSON

/// Reads a JSON text and writes it again.
func parseJSON(_ input: [UInt8]) {
  guard let value = JSONValue(parsing: input) else { return }
  var writer = JSONWriter()
  writer.value(value)
  promise(JSONValue(parsing: writer.bytes) == value, "What was written reads the same.")
}

/// Reads requests, whole and in pieces of one to eight bytes.
func parseRequests(_ input: [UInt8]) {
  let whole = Exchange(pieces: [input])
  var pieces: [[UInt8]] = []
  var rest = input[...]
  while let first = rest.first {
    let length = Int(first % 8) + 1
    pieces.append(Array(rest.prefix(length)))
    rest = rest.dropFirst(length)
  }
  promise(whole == Exchange(pieces: pieces), "Requests are the same however they are cut.")
}

/// What a parser tells of a connection.
private struct Exchange: Equatable {
  var events: [String] = []
  var body: [UInt8] = []
  var error: String?

  init(pieces: [[UInt8]]) {
    var parser = RequestParser()
    do throws(ParseError) {
      for piece in pieces {
        parser.append(piece)
        while let event = try parser.next() { add(event) }
      }
    } catch {
      self.error = error.code
    }
  }

  private mutating func add(_ event: RequestEvent) {
    switch event {
    case .head(let head):
      let fields = head.allHeaders.map { "\($0.name): \($0.value)" }
      events.append("\(head.method.name) \(head.path) \(head.query ?? "") \(fields)")
      if let query = head.query { _ = QueryParameters(query) }
      _ = head.header("content-type")
      for field in ForwardedField.allCases {
        promise(
          field.addresses(head).allSatisfy { !$0.contains(",") },
          "An address that a proxy appends stands alone.")
      }
    case .body(let piece):
      promise(!piece.isEmpty, "A piece of a body is never empty.")
      body += piece
    case .end:
      events.append("end \(body.count)")
    }
  }
}

/// Reads a form whose boundary is `b`.
func parseMultipart(_ input: [UInt8]) {
  let parts = try? MultipartForm.parse(input, boundary: "b")
  promise(parts == (try? MultipartForm.parse(input, boundary: "b")), "Twice the same.")
  for part in parts ?? [] {
    promise(
      part.body.startIndex >= 0 && part.body.endIndex <= input.count, "A part lies in the body.")
  }
}
