internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// The thirty days of the demo: devices come, tokens are replaced and refused, a build loses a key
/// and another one its entitlement.
struct DemoStory: Sendable {
  let devices: Int
  let service: Service
  let clock: DemoClock
  let rootKey: APIKey

  private static let days = 30
  private static let path = "/v1/apps/food"
  /// A day in microseconds.
  private static let day: Int64 = 86_400_000_000

  /// Lets the days pass.
  /// - Returns: An admin key of the app, for the console.
  func tell() async throws -> String {
    let now = Timestamp.systemNow.wholeMilliseconds
    let first = now.microseconds - Int64(Self.days) * Self.day
    clock.set(Timestamp(microseconds: first))
    try await makeApp()
    for number in 0..<Self.days {
      let morning = first + Int64(number) * Self.day
      clock.set(Timestamp(microseconds: min(morning + Self.day, now.microseconds)))
      try await register(on: number, from: morning)
      try await liveOn(day: number)
      try await fail(on: number, from: morning)
    }
    try await refuseSandbox()
    _ = try await key("client", "iOS app")
    _ = try await key("sender", "order service")
    return try await key("admin", "console of the demo")
  }

  private func makeApp() async throws {
    try await send("PUT", "", #"{"bundle_id": "com.example.food", "name": "Food to go"}"#)
    for (build, lacking) in [("410", []), ("412", []), ("415", ["COURIER"])] as [(String, Set)] {
      let catalog = DemoTexts.stringCatalog(lacking: lacking)
      let boundary = "a-line-of-no-file"
      let form = """
        --\(boundary)\r
        Content-Disposition: form-data; name="file"; filename="Localizable.xcstrings"\r
        \r
        \(catalog)\r
        --\(boundary)--\r\n
        """
      try await send(
        "PUT", "/catalogs/\(build)", form, type: "multipart/form-data; boundary=\(boundary)")
    }
    for (name, message) in DemoTexts.messages {
      try await send("PUT", "/messages/\(name)", message)
    }
  }

  /// The numbers of the devices that come on a day: all days have as many.
  private func numbers(on day: Int) -> Range<Int> {
    devices * day / Self.days..<devices * (day + 1) / Self.days
  }

  /// A time of the day for one of its devices.
  private func time(_ number: Int, of numbers: Range<Int>, from morning: Int64) -> Timestamp {
    let share = Int64(number - numbers.lowerBound) * Self.day / Int64(max(1, numbers.count))
    return Timestamp(microseconds: morning + share).wholeMilliseconds
  }

  private func register(on day: Int, from morning: Int64) async throws {
    let numbers = numbers(on: day)
    guard !numbers.isEmpty else { return }
    let lines = numbers.map { number in
      DemoDevice(number).record(at: time(number, of: numbers, from: morning)) + "\n"
    }
    try await send(
      "POST", "/installations/import", lines.joined(), type: "application/x-ndjson")
  }

  /// Changes a few devices of two days before: a token is replaced, an app removed.
  private func liveOn(day: Int) async throws {
    guard day >= 2 else { return }
    var gone: [String] = []
    var refused: [String] = []
    for device in numbers(on: day - 2).prefix(2000).map(DemoDevice.init) where device.hasToken {
      if device.isReplaced {
        let body = #"{"credentials": {"apns": {"token": "\#(device.token(1))"}}}"#
        try await send("PATCH", "/installations/\(device.id.text)", body)
      } else if device.isRemoved {
        gone.append(
          answer(
            to: device, status: 410, reason: "Unregistered",
            more: #", "timestamp": \#(clock.now.microseconds / 1000)"#))
      } else if device.isRefused {
        refused.append(answer(to: device, status: 400, reason: "BadDeviceToken"))
      }
    }
    // Fewer than a burst at a time, as a healthy sender would report them.
    for part in [gone, Array(refused.prefix(8))] where !part.isEmpty { try await report(part) }
  }

  /// The answer of APNs to a push.
  private func answer(
    to device: DemoDevice, status: Int, reason: String, more: String = ""
  ) -> String {
    """
    {"token": "\(device.token())", "status": \(status), "reason": "\(reason)",
    "environment": "\(device.isSandbox ? "sandbox" : "production")"\(more)}
    """
  }

  private func report(_ answers: [String]) async throws {
    for start in stride(from: 0, to: answers.count, by: Limits.feedbackItems) {
      let part = answers[start..<min(start + Limits.feedbackItems, answers.count)]
      try await send("POST", "/feedback", #"{"results": [\#(part.joined(separator: ","))]}"#)
    }
  }

  /// Today the sender has mistaken the environment: the breaker opens.
  private func refuseSandbox() async throws {
    let answers = (0..<min(devices, 2000)).map(DemoDevice.init)
      .filter { $0.isSandbox && $0.hasToken }.prefix(40)
      .map { answer(to: $0, status: 400, reason: "BadDeviceToken") }
    if !answers.isEmpty { try await report(Array(answers)) }
  }

  private static let offline = (domain: "NSURLErrorDomain", code: -1009)
  private static let noEntitlement = (domain: "NSCocoaErrorDomain", code: 3000)

  /// A few failures each day, and a burst from 36 to 16 hours ago, which is yesterday at any hour:
  /// build 415 was signed without the entitlement.
  private func fail(on day: Int, from morning: Int64) async throws {
    let usual = 1 + day % 3
    let burst = day == Self.days - 1 && devices >= 100 ? 120 : 0
    let numbers = numbers(on: day)
    for number in 0..<(usual + burst) {
      let isBurst = number >= usual
      let (domain, code) = isBurst ? Self.noEntitlement : Self.offline
      let message =
        isBurst
        ? "no valid “aps-environment” entitlement string found for application"
        : "The Internet connection appears to be offline."
      let device = DemoDevice(
        (numbers.isEmpty ? 0 : numbers.lowerBound) + number * 7 % max(1, numbers.count))
      let start = isBurst ? morning - Self.day / 2 : morning
      let time = Timestamp(microseconds: start + Int64(number) * 600_000_000)
      try await send(
        "POST", "/failures",
        """
        {"kind": "apns", "error": {"domain": "\(domain)", "code": \(code), "message": "\(message)"},
        "installation_id": "\(device.id.text)", "environment": "production", "platform": "ios",
        "app_version": "\(isBurst ? "3.3.0" : "3.2.0")",
        "os_version": "\(number % 3 == 0 ? "26.0" : "26.1")", "device_model": "iPhone17,1",
        "occurred_at": "\(time.wholeMilliseconds.rfc3339)"}
        """)
    }
  }

  private func key(_ kind: String, _ label: String) async throws -> String {
    let answer = try await send(
      "POST", "/keys", #"{"kind": "\#(kind)", "label": "\#(label)"}"#)
    guard let key = JSONValue(parsing: answer)?["key"]?.text else {
      throw Demo.Failure(description: "The answer to a new key has none.")
    }
    return key
  }

  /// Calls the service, without a socket.
  /// - Returns: The body of the answer.
  @discardableResult
  private func send(
    _ method: String, _ path: String, _ body: String, type: String = "application/json"
  ) async throws -> [UInt8] {
    let bytes = Array(body.utf8)
    let head = try RequestHead(
      method: Method(method), target: Self.path + path,
      fields: [
        ("Authorization", "Bearer \(rootKey.text)"), ("Content-Type", type),
        ("Content-Length", "\(bytes.count)"),
      ])
    let (response, answer) = try await service.answer(head, body: bytes)
    guard response.status.code < 300 else {
      let text = String(decoding: answer, as: UTF8.self)
      throw Demo.Failure(description: "\(method) \(path): \(response.status.code) \(text)")
    }
    return answer
  }
}
