import Foundation
import Testing

@testable import PostilionClient

@Suite struct ContentDeliveryTests {
  struct Fault: Error {}

  static let payload = RemotePayload(data: ["attachments": "https://example.com/a.png"])

  /// The contents that were delivered, one after the other.
  actor Delivered {
    nonisolated let stream: AsyncStream<String>
    nonisolated let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// All of them, once nothing can come any more.
    func all() async -> [String] {
      continuation.finish()
      return await stream.reduce(into: []) { $0.append($1) }
    }
  }

  private func delivery(
    _ delivered: Delivered, finally replace: @escaping @Sendable (String) throws -> String = { $0 }
  ) -> ContentDelivery<String> {
    let continuation = delivered.continuation
    return ContentDelivery("plain", finally: replace) { continuation.yield($0) }
  }

  /// A download that fetches a file, or does what the closure says.
  private func download(
    _ fetch: @escaping AttachmentDownload.Fetch = { _ in
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data([1]).write(to: file)
      return FetchedFile(file: file, mimeType: "image/png")
    }
  ) -> AttachmentDownload {
    AttachmentDownload(fetch: fetch)
  }

  /// A clock whose time never comes.
  private static let never: @Sendable (TimeInterval) async throws -> Void = { _ in
    try await Task.sleep(nanoseconds: .max / 2)
  }

  @Test func theAttachmentIsDelivered() async {
    let delivered = Delivered()
    let delivery = delivery(delivered) { $0 + " finally" }
    await delivery.start(Self.payload, download: download(), sleep: Self.never) { content, file in
      "\(content) \(file.pathExtension)"
    }.value
    #expect(delivery.isDelivered)
    delivery.finish()
    #expect(await delivered.all() == ["plain png finally"])
  }

  @Test func theFileIsRemoved() async {
    let delivered = Delivered()
    await delivery(delivered).start(Self.payload, download: download(), sleep: Self.never) {
      _, file in
      file.path
    }.value
    let path = await delivered.all().first ?? ""
    #expect(path.hasSuffix(".png"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [
    RemotePayload(), RemotePayload(data: ["attachments": 7]),
    RemotePayload(data: ["attachments": "http://example.com/a.png"]),
  ])
  func withoutAnAddressTheContentIsDeliveredAtOnce(payload: RemotePayload) async {
    let delivered = Delivered()
    let delivery = delivery(delivered)
    let download = download { _ in
      Issue.record("fetched")
      throw Fault()
    }
    delivery.start(payload, download: download, sleep: Self.never) { content, _ in content }
    #expect(delivery.isDelivered)
    #expect(await delivered.all() == ["plain"])
  }

  @Test func aFailedDownloadDeliversTheContent() async {
    let delivered = Delivered()
    let download = download { _ in throw Fault() }
    await delivery(delivered).start(Self.payload, download: download, sleep: Self.never) { _, _ in
      "wrong"
    }.value
    #expect(await delivered.all() == ["plain"])
  }

  @Test func aFailedAttachmentDeliversTheContent() async {
    let delivered = Delivered()
    await delivery(delivered).start(Self.payload, download: download(), sleep: Self.never) { _, _ in
      throw Fault()
    }.value
    #expect(await delivered.all() == ["plain"])
  }

  @Test func aFailedReplacementDeliversTheBestContent() async {
    let delivered = Delivered()
    let delivery = delivery(delivered) { _ in throw Fault() }
    await delivery.start(Self.payload, download: download(), sleep: Self.never) { _, _ in "better" }
      .value
    #expect(await delivered.all() == ["better"])
  }

  @Test func whenTheTimeEndsTheContentIsDelivered() async {
    let delivered = Delivered()
    let (opened, gate) = AsyncStream<Void>.makeStream()
    // It goes on until it is let go, whatever cancels it.
    let download = download { _ in
      await Task.detached { for await _ in opened { break } }.value
      throw Fault()
    }
    let delivery = delivery(delivered) { $0 + " finally" }
    let work = delivery.start(Self.payload, download: download, sleep: { _ in }) { _, _ in "late" }
    var iterator = delivered.stream.makeAsyncIterator()
    #expect(await iterator.next() == "plain finally")
    gate.yield()
    await work.value
    #expect(await delivered.all() == [])
  }

  @Test func whenTheSystemEndsTheTimeTheContentIsDelivered() async {
    let delivered = Delivered()
    let delivery = delivery(delivered)
    let download = download { _ in
      delivery.finish()
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data([1]).write(to: file)
      return FetchedFile(file: file, mimeType: "image/png")
    }
    await delivery.start(Self.payload, download: download, sleep: Self.never) { _, _ in
      Issue.record("attached after the delivery")
      return "late"
    }.value
    #expect(await delivered.all() == ["plain"])
  }

  /// What a delivery says at its end.
  private static func text(of content: String, _ value: NotificationContent) -> String {
    "\(content) [\(value.title)\(value.body) \(value.attachments.count)]"
  }

  private static func content(_ addresses: String...) -> NotificationContent {
    var content = NotificationContent(body: "secret")
    content.attachments = NotificationAttachment.attachments(
      in: .array(addresses.map { .string($0) }))
    return content
  }

  @Test func anEditComesBeforeTheAttachments() async {
    let delivered = Delivered()
    let (asked, continuation) = AsyncStream<URL>.makeStream()
    let answering = download()
    let download = download { request in
      continuation.yield(request.url)
      return try await answering.fetch(request)
    }
    await delivery(delivered).start(
      Self.content("https://example.com/old.png"), download: download, sleep: Self.never,
      edit: { content in
        content.title = "News: "
        content.body = "open"
        content.attachments = Self.content("https://example.com/new.png", "own.png").attachments
      }, apply: Self.text
    ).value
    continuation.finish()
    // Once after the edit, and once with the files.
    #expect(await delivered.all() == ["plain [News: open 0] [News: open 2]"])
    let addresses = await asked.reduce(into: []) { $0.append($1.lastPathComponent) }
    #expect(addresses == ["new.png"])
  }

  @Test func afterAFailedEditTheNotificationSaysWhatItSaid() async {
    let delivered = Delivered()
    await delivery(delivered).start(
      Self.content("https://example.com/a.png"), download: download(), sleep: Self.never,
      edit: { content in
        content.body = "half"
        throw Fault()
      }, apply: Self.text
    ).value
    #expect(await delivered.all() == ["plain [secret 1]"])
  }

  @Test func aLateEditIsNotWaitedFor() async {
    let delivered = Delivered()
    let gate = Gate()
    await delivery(delivered).start(
      Self.content(), download: nil, sleep: { _ in },
      edit: { content in
        await gate.opened()
        content.body = "late"
      }, apply: Self.text
    ).value
    #expect(await delivered.all() == ["plain"])
    await gate.open()
  }

  /// The edit is done; the pictures never come.
  @Test func whenTheTimeEndsTheEditCounts() async {
    let delivered = Delivered()
    let (begun, gate) = (Gate(), Gate())
    let download = download { _ in
      await begun.open()
      await gate.opened()
      throw Fault()
    }
    await delivery(delivered).start(
      Self.content("https://example.com/a.png"), download: download,
      sleep: { seconds in
        #expect(seconds == 20)
        await begun.opened()
      },
      edit: { $0.body = "open" }, apply: Self.text
    ).value
    #expect(await delivered.all() == ["plain [open 0]"])
    await gate.open()
  }

  @Test(arguments: [true, false]) func aReceiptIsSentOnce(isLate: Bool) async {
    let delivered = Delivered()
    let gate = Gate()
    if !isLate { await gate.open() }
    await delivery(delivered).start(
      Self.content(), download: nil,
      sleep: { seconds in
        // A receipt has five seconds, the whole work twenty.
        if seconds != 5 || !isLate { try await Self.never(seconds) }
      },
      receipt: {
        await gate.arrive()
        await gate.opened()
      }, apply: Self.text
    ).value
    #expect(await delivered.all() == ["plain"])
    await gate.open()
    if !isLate { #expect(await gate.arrived == 1) }
  }

  @Test func improvementsCountUntilTheDelivery() async {
    let delivered = Delivered()
    let delivery = delivery(delivered)
    #expect(delivery.improve { $0 + " 1" })
    #expect(throws: Fault.self) { try delivery.improve { _ in throw Fault() } }
    #expect(delivery.improve { $0 + " 2" })
    delivery.finish()
    #expect(!delivery.improve { $0 + " 3" })
    #expect(await delivered.all() == ["plain 1 2"])
  }

  @Test func aReplacementMayAskTheDelivery() async {
    let delivered = Delivered()
    let holder = Holder()
    let delivery = delivery(delivered) { content in
      holder.delivery?.finish()
      return content + " \(holder.delivery?.isDelivered ?? false)"
    }
    holder.delivery = delivery
    delivery.finish()
    #expect(await delivered.all() == ["plain true"])
  }

  /// Set before the delivery, read during it.
  final class Holder: @unchecked Sendable {
    weak var delivery: ContentDelivery<String>?
  }

  @Test func manyMayFinishAtOnce() async {
    for _ in 0..<50 {
      let delivered = Delivered()
      let delivery = delivery(delivered)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            delivery.improve { _ in "\(number)" }
            delivery.finish()
          }
        }
      }
      #expect(await delivered.all().count == 1)
    }
  }
}
