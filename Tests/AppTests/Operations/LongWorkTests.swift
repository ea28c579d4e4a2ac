import AppTesting
import Content
import EventLoop
import Foundation
import Synchronization
import Telemetry
import Testing

@testable import App

/// What takes long runs on threads of its own: while they are held, the only loop of a service
/// answers everybody else.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LongWorkTests {
  /// Keeps all threads of a line busy until it is opened.
  private final class Hold: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let held: Task<Void, any Error>
    private let threads: Int

    init(_ workers: WorkerThreads, threads: Int) {
      self.threads = threads
      held = Task { [gate] in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<threads {
            // A test that fails, which it does earlier, must not wait for its own calls for ever.
            group.addTask {
              try await workers.run(isUnderWay: true) { _ = gate.wait(timeout: .now() + 240) }
            }
          }
          try await group.waitForAll()
        }
      }
    }

    func open() async throws {
      for _ in 0..<threads { gate.signal() }
      try await held.value
    }
  }

  private func metric(_ name: String, _ queue: String, _ service: TestService) -> Int? {
    let text = String(
      decoding: service.service.shared.observation.metrics.render(), as: UTF8.self)
    let start = "postilion_work_\(name){queue=\"\(queue)\"} "
    let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
    return line.flatMap { Int($0.dropFirst(start.count)) }
  }

  /// Holds the threads, and waits until they are.
  private func hold(_ queue: String, _ service: TestService) async throws -> Hold {
    let (workers, threads) =
      queue == "uploads"
      ? (service.service.shared.workers.uploads, Limits.uploadWork.threads)
      : (service.service.shared.workers.requests, Limits.requestWork.threads)
    let hold = Hold(workers, threads: threads)
    try await eventually { metric("running", queue, service) == threads }
    return hold
  }

  /// What everybody asks all the time.
  private func expectAnswers(_ app: TestApp) async throws {
    for _ in 0..<10 {
      #expect(try await app.client.get("/healthz").status == 200)
      let id = Sample.id()
      #expect(try await app.sender.put(app.installation(id), Sample.report()).status == 201)
      #expect(try await app.sender.get(app.installation(id)).status == 200)
    }
  }

  /// 8 MB in long texts, which are read fast also where code is not optimized.
  private static let largeFiles = ["de", "en", "fr", "it"].map { language in
    (
      path: "\(language).lproj/L.strings",
      text: (0..<50).map { number in
        "\"key \(number)\" = \"\(String(repeating: "text ", count: 8_000))\";\n"
      }.joined()
    )
  }

  @Test func othersAreAnsweredWhileALargeCatalogIsRead() async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app()
    let hold = try await hold("uploads", service)
    async let upload = app.admin.upload("\(app.path)/catalogs/1", Self.largeFiles)
    try await eventually { metric("waiting", "uploads", service) == 1 }
    #expect(metric("waiting_bytes", "uploads", service).map { $0 > 8_000_000 } == true)
    try await expectAnswers(app)
    #expect(metric("waiting", "uploads", service) == 1)
    try await hold.open()
    #expect(try await upload.status == 201)
    #expect(metric("waiting_bytes", "uploads", service) == 0)
    #expect(metric("running", "uploads", service) == 0)
    await service.stop()
  }

  @Test func uploadsBeyondTheQueueAreTurnedAway() async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app()
    let other = try await service.app()
    let hold = try await hold("uploads", service)
    let files = CatalogsTests.files
    let most = Limits.uploadWork.waiting
    let share = most * 3 / 4
    try await withThrowingTaskGroup(of: Int.self) { group in
      func upload(_ numbers: Range<Int>, of app: TestApp) {
        for number in numbers {
          group.addTask {
            try await app.admin.upload("\(app.path)/catalogs/\(number)", files).status
          }
        }
      }
      upload(0..<share, of: app)
      try await eventually { metric("waiting", "uploads", service) == share }
      // What one app leaves is another's.
      let root = service.client()
      #expect(try await root.upload("\(app.path)/catalogs/late", files).problem == "overloaded")
      upload(share..<most, of: other)
      try await eventually { metric("waiting", "uploads", service) == most }
      let refused = try await app.admin.upload("\(app.path)/catalogs/late", files)
      #expect(refused.status == 503)
      #expect(refused.problem == "overloaded")
      #expect(refused["retry-after"] == "5")
      #expect(metric("refused_total", "uploads", service) == 2)
      try await expectAnswers(app)
      try await hold.open()
      for try await status in group { #expect(status == 201) }
    }
    #expect(try await app.admin.upload("\(app.path)/catalogs/late", files).status == 201)
    await service.stop()
  }

  /// Nothing is read, stored or written for a client that has ended its side.
  @Test(arguments: ["upload", "import", "list"])
  func workThatItsClientHasLeftIsNotDone(_ work: String) async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app()
    let queue = work == "upload" ? "uploads" : "requests"
    let hold = try await hold(queue, service)
    let multipart = "multipart/form-data; boundary=x"
    let file = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"en.lproj/L.strings\""
    var record = Sample.report()
    record["installation_id"] = .string(Sample.id())
    let (target, type, body) =
      switch work {
      case "upload":
        ("PUT \(app.path)/catalogs/1", multipart, "\(file)\r\n\r\n\"a\" = \"b\";\r\n--x--\r\n")
      case "import": ("POST \(app.path)/installations/import", "text/plain", record.text)
      default: ("GET \(app.path)/installations", "text/plain", "")
      }
    let key = try #require(app.admin.key)
    var wire: Wire? = try Wire(port: service.port)
    try wire?.send(
      Array(
        ("\(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
          + "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8))
    try await eventually { metric("waiting", queue, service) == 1 }
    wire = nil
    // The loop has come to the end of that connection.
    for _ in 0..<20 { #expect(try await app.client.get("/healthz").status == 200) }
    try await hold.open()
    try await eventually { metric("waiting", queue, service) == 0 }
    try await eventually {
      let answers = String(
        decoding: service.service.shared.observation.metrics.render(), as: UTF8.self)
      return answers.split(separator: "\n").contains {
        $0.hasPrefix("postilion_http_requests_total") && $0.contains("status=\"4xx\"")
          && $0.hasSuffix(" 1")
      }
    }
    #expect(try await app.admin.get("\(app.path)/catalogs/1").status == 404)
    #expect(try await app.sender.get("\(app.path)/installations").json["items"].elements.isEmpty)
    await service.stop()
  }

  /// Each waits for a thread with one piece of work.
  @Test func longBodiesAndAnswersLeaveTheLoop() async throws {
    let service = try await TestService.start(loops: 1, streamPlaces: 16)
    let app = try await service.app()
    let catalog = "\(app.path)/catalogs/1"
    // The catalog is forgotten when it is uploaded, and once more when the notice of that comes,
    // which is heard from the first forgetting on.
    let content = service.service.contexts[0].content
    try await eventually { content.generation > 0 }
    #expect(try await app.admin.upload(catalog, CatalogsTests.files).status == 201)
    try await eventually { content.generation > 2 }
    // It is in memory from here on.
    #expect(try await app.admin.get("\(catalog)/strings").status == 200)
    let id = Sample.id()
    #expect(try await app.sender.put(app.installation(id), Sample.report()).status == 201)
    let long = String(repeating: "x", count: Limits.loopBodyBytes)
    var record = Sample.report()
    record["installation_id"] = .string(Sample.id())
    let lines = Array(record.text.utf8)
    let calls: [@Sendable () async throws -> Int] = [
      // A body that is read.
      {
        try await app.sender.post(
          "/v1/languages/match", ["preferred": ["en"], "available": [.string(long)]]
        ).status == 422 ? 200 : 0
      },
      {
        try await app.admin.send("POST", "\(app.path)/installations/import", body: lines).status
      },
      // An answer that is written.
      { try await app.sender.get("\(app.path)/installations").status },
      {
        try await app.sender.send(
          "GET", "\(app.path)/installations", fields: [("Accept", "text/csv")]
        ).status
      },
      { try await app.admin.get("\(catalog)/strings").status },
      { try await app.admin.get("\(catalog)/coverage").status },
      { try await app.client.get("/metrics").status },
      // Something that is computed.
      {
        try await app.sender.post(
          "\(app.path)/preview", ["message": ["alert": ["body": ["key": "BYE"]]]]
        ).status
      },
      {
        try await app.sender.post(
          "\(app.path)/payloads/check", ["payload": ["aps": ["alert": "x"]]]
        ).status
      },
      {
        try await app.admin.put(
          "\(app.path)/messages/m?dry_run=true", ["alert": ["body": ["key": "BYE"]]]
        ).status
      },
    ]
    let hold = try await hold("requests", service)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for call in calls { group.addTask { try await call() } }
      try await eventually { metric("waiting", "requests", service) == calls.count }
      try await expectAnswers(app)
      #expect(metric("waiting", "requests", service) == calls.count)
      try await hold.open()
      for try await status in group { #expect(status == 200) }
    }
    await service.stop()
  }

  /// Files that never change are made once, and then take no thread, however they are asked for.
  @Test func whatNeverChangesTakesNoThread() async throws {
    let service = try await TestService.start(loops: 1)
    let client = service.client(key: nil)
    #expect(try await client.get("/docs").status == 200)
    let hold = try await hold("requests", service)
    let isAnswered = Atomic<Bool>(false)
    let asking = Task {
      for path in ["/docs", "/openapi.yaml", "/", "/console/main.js"] {
        for offer in ["identity", "gzip"] {
          let reply = try await client.send("GET", path, fields: [("Accept-Encoding", offer)])
          #expect(reply.status == 200)
        }
      }
      isAnswered.store(true, ordering: .relaxed)
    }
    try await eventually {
      metric("waiting", "requests", service) ?? 0 > 0 || isAnswered.load(ordering: .relaxed)
    }
    #expect(metric("waiting", "requests", service) == 0)
    try await hold.open()
    try await asking.value
    await service.stop()
  }

  /// Anyone may ask for the metrics, and however many do, they take one place.
  @Test func manyWhoAskForMetricsTakeOnePlace() async throws {
    let service = try await TestService.start(loops: 1)
    let client = service.client(key: nil)
    let hold = try await hold("requests", service)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await client.get("/metrics").status } }
      try await eventually { metric("waiting", "requests", service) ?? 0 > 0 }
      // The loop has come to those that had arrived with the first.
      for _ in 0..<20 { #expect(try await client.get("/healthz").status == 200) }
      #expect(metric("waiting", "requests", service) == 1)
      try await hold.open()
      for try await status in group { #expect(status == 200) }
    }
    await service.stop()
  }

  /// A client key is public: with it half of the queue can be filled, and the rest is for backends.
  @Test func longReportsLeaveHalfOfTheQueue() async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app(.inProcess)
    // Long enough for a thread, and refused as soon as it is read: many are sent.
    let long =
      Array(#"{"platform": 7}"#.utf8)
      + repeatElement(UInt8(ascii: " "), count: Limits.loopBodyBytes)
    func put() async throws -> Reply {
      try await app.client.send(
        "PUT", app.installation(Sample.id()), body: long,
        fields: [("Content-Type", "application/json")])
    }
    let most = Limits.requestWork.waiting / 2
    let hold = try await hold("requests", service)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<most {
        group.addTask { try await put().status }
      }
      try await eventually { metric("waiting", "requests", service) == most }
      let refused = try await put()
      #expect(refused.status == 503)
      #expect(refused.problem == "overloaded")
      async let list = app.admin.get("\(app.path)/installations")
      try await eventually { metric("waiting", "requests", service) == most + 1 }
      try await hold.open()
      #expect(try await list.status == 200)
      for try await status in group { #expect(status == 422) }
    }
    await service.stop()
  }

  /// A rendering that needs a catalog waits for it; others do not.
  @Test func aCatalogIsReadFromTheDatabaseApart() async throws {
    let service = try await TestService.start(loops: 1)
    let app = try await service.app()
    let catalog = "\(app.path)/catalogs/1"
    #expect(try await app.admin.upload(catalog, CatalogsTests.files).status == 201)
    let hold = try await hold("requests", service)
    async let strings = app.admin.get("\(catalog)/strings")
    try await eventually { metric("waiting", "requests", service) == 1 }
    #expect(metric("waiting_bytes", "requests", service).map { $0 > 0 } == true)
    try await expectAnswers(app)
    try await hold.open()
    #expect(try await strings.json["items"].elements.count == 4)
    await service.stop()
  }
}
