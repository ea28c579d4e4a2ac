import Foundation
import Testing

@testable import PostilionClient

@Suite final class AttachmentDownloadTests {
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("attachments-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// A download whose network answers with bytes and a type.
  private func download(
    bytes: Int = 4, type: String?, asked: @escaping @Sendable (AttachmentRequest) -> Void = { _ in }
  ) -> AttachmentDownload {
    let place = directory
    return AttachmentDownload(directory: place.appendingPathComponent("kept")) { request in
      asked(request)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let file = place.appendingPathComponent(UUID().uuidString)
      try Data(repeating: 7, count: bytes).write(to: file)
      return FetchedFile(file: file, mimeType: type)
    }
  }

  private var files: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []
  }

  @Test(
    arguments: [
      ("image/jpeg", "/a", "jpg"), ("image/png; charset=x", "/a.jpg", "png"),
      ("IMAGE/GIF", "/a", "gif"),
      ("audio/mpeg", "/a", "mp3"), ("video/mp4", "/", "mp4"), (nil, "/a.PNG", "png"),
      ("application/octet-stream", "/a.b.jpeg", "jpeg"), ("", "/a.mov", "mov"),
      ("text/html", "/a.png", nil), ("application/json", "/a.png", nil), (nil, "/a", nil),
      (nil, "/png", nil),
      (nil, "/a.exe", nil), (nil, "/a.png/..", nil), (nil, "/a.png.sh", nil),
      ("image/svg+xml", "/a", nil),
    ] as [(String?, String, String?)])
  func theKindNamesTheFile(type: String?, path: String, expected: String?) async throws {
    let download = download(type: type)
    let url = try #require(URL(string: "https://example.com" + path))
    guard let expected else {
      await #expect(throws: AttachmentDownload.Failure(.type, mimeType: type)) {
        try await download.file(at: url)
      }
      #expect(files.filter { $0 != "kept" } == [], "a file was left")
      return
    }
    let file = try await download.file(at: url)
    #expect(file.pathExtension == expected)
    #expect(try Data(contentsOf: file).count == 4)
    #expect(file.deletingLastPathComponent().lastPathComponent == "kept")
  }

  @Test(arguments: [
    ("https://example.com/a.png", true), ("HTTPS://example.com/a.png", true),
    ("http://example.com/a.png", false),
    ("file:///etc/passwd", false), ("https:///a.png", false),
    ("https://user:word@example.com/a", false),
    ("ftp://example.com/a", false), ("data:image/png;base64,AA==", false), ("a.png", false),
    ("", false),
    ("https://user@example.com/a.png", false),
  ])
  func onlySafeAddressesAreFetched(text: String, isAllowed: Bool) async throws {
    let payload = RemotePayload(data: ["image": .string(text)])
    let download = download(type: "image/png")
    #expect((download.url(in: payload) != nil) == isAllowed)
    if isAllowed {
      #expect(try await download.file(for: payload) != nil)
    } else {
      await #expect(throws: AttachmentDownload.Failure(.addressNotAllowed)) {
        try await download.file(for: payload)
      }
    }
  }

  @Test func http() async throws {
    var download = download(type: "image/png") { #expect($0.allowsInsecureHTTP) }
    download.allowsInsecureHTTP = true
    #expect(
      try await download.file(for: RemotePayload(data: ["image": "http://example.com/a"])) != nil)
    await #expect(throws: AttachmentDownload.Failure(.addressNotAllowed)) {
      try await download.file(for: RemotePayload(data: ["image": "file:///a.png"]))
    }
  }

  @Test(arguments: [(0, false), (1, true), (10, true), (11, false)])
  func sizesAreBounded(bytes: Int, isAllowed: Bool) async throws {
    var download = download(bytes: bytes, type: "image/png") { #expect($0.maximumBytes == 10) }
    download.maximumBytes = 10
    let payload = RemotePayload(data: ["image": "https://example.com/a"])
    if isAllowed {
      #expect(try await download.file(for: payload) != nil)
    } else {
      await #expect(throws: AttachmentDownload.Failure(.size)) {
        try await download.file(for: payload)
      }
      #expect(files.filter { $0 != "kept" } == [], "a file was left")
    }
  }

  @Test(
    arguments: [
      (#"{"attachments":"https://example.com/1"}"#, ["https://example.com/1"]),
      (
        #"{"attachments":["https://example.com/1","http://example.com/2","a.png"],"image":"b"}"#,
        ["https://example.com/1", "a.png"]
      ),
      // The name of earlier releases.
      (#"{"image":"https://example.com/3"}"#, ["https://example.com/3"]),
      (#"{"image":7}"#, []), ("{}", []),
    ] as [(String, [String])])
  func oneNameIsReadInBothPlaces(json: String, expected: [String]) throws {
    let payload = try #require(RemotePayload(json: Data(json.utf8)))
    #expect(AttachmentDownload().attachments(in: payload).map(\.source.text) == expected)
    if payload.data["attachments"] != nil {
      #expect(NotificationContent(payload).attachments.map(\.source.text) == expected)
    }
  }

  @Test func theKeyIsTheApps() async throws {
    var download = download(type: "image/png")
    download.attachmentsKey = "picture"
    let elsewhere = RemotePayload(data: ["image": "https://example.com/a"])
    #expect(try await download.file(for: elsewhere) == nil)
    #expect(download.url(in: elsewhere) == nil)
    #expect(try await download.file(for: RemotePayload(data: ["picture": 7])) == nil)
    let payload = RemotePayload(data: ["picture": ["https://example.com/a"]])
    #expect(try await download.file(for: payload) != nil)
    #expect(download.url(in: payload) != nil)
  }

  @Test func aListKeepsWhatIsThereAndFetchesTheRest() async throws {
    let remote = try #require(URL(string: "https://example.com/a"))
    let refused = try #require(URL(string: "http://example.com/a"))
    let local = URL(fileURLWithPath: "/b.png")
    let fetched = await download(type: "image/png").fetched([
      NotificationAttachment(.bundled("a.png")), NotificationAttachment(.remote(refused)),
      NotificationAttachment(.remote(remote), identifier: "r"),
      NotificationAttachment(.file(local)),
    ])
    #expect(fetched.count == 3)
    #expect(fetched.first?.source == .bundled("a.png"))
    #expect(fetched.last?.source == .file(local))
    guard case .file(let file)? = fetched.dropFirst().first?.source else {
      Issue.record("not fetched")
      return
    }
    #expect(fetched[1].identifier == "r")
    #expect(file.pathExtension == "png")
  }

  private func remotes(_ count: Int) -> [NotificationAttachment] {
    (0..<count).compactMap { number in
      URL(string: "https://example.com/\(number)").map {
        NotificationAttachment(.remote($0), identifier: "\(number)")
      }
    }
  }

  /// Each waits until all have begun: one after the other they would never end.
  @Test func aListIsFetchedTogether() async {
    let together = Gate()
    let answering = download(type: "image/png")
    let download = AttachmentDownload { request in
      if await together.arrive() == 8 { await together.open() }
      await together.opened()
      return try await answering.fetch(request)
    }
    let fetched = await download.fetched(remotes(12))
    #expect(fetched.map(\.identifier) == (0..<8).map(String.init))
  }

  @Test func whenTheTimeEndsThoseAreLeftOutThatAreNotThere() async throws {
    let gate = Gate()
    let answering = download(type: "image/png")
    let download = AttachmentDownload(directory: directory.appendingPathComponent("kept")) {
      request in
      // It goes on until it is let go, whatever cancels it.
      await gate.opened()
      defer { Task { await gate.arrive() } }
      return try await answering.fetch(request)
    }
    let own = NotificationAttachment(.file(URL(fileURLWithPath: "/own.png")))
    let deadline = Deadline(in: 20) { #expect($0 == 20) }
    let fetched = await download.fetched(remotes(4) + [own], until: deadline)
    #expect(fetched == [own])
    // What comes later is not kept.
    await gate.open()
    while await gate.arrived < 4 || files != ["kept"] { await Task.yield() }
  }
}

/// Many wait here until it is opened, whatever cancels them.
actor Gate {
  private(set) var arrived = 0
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Counts one more that has come this far.
  @discardableResult func arrive() -> Int {
    arrived += 1
    return arrived
  }

  /// Waits until it is open.
  func opened() async {
    guard !isOpen else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Lets all go on.
  func open() {
    isOpen = true
    for one in waiting { one.resume() }
    waiting = []
  }
}

extension NotificationAttachment.Source {
  fileprivate var text: String {
    switch self {
    case .bundled(let name): name
    case .file(let url): url.path
    case .remote(let url): url.absoluteString
    }
  }
}
