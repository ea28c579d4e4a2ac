import Foundation
import Testing

@testable import PostilionClient

/// The download over a real connection.
@Suite struct AttachmentTransferTests {
  private static let server = Result {
    try LoopbackServer { path in
      switch path {
      case "/a.png": answer(type: "image/png; a=b", bytes: 1000)
      case "/large": answer(type: "image/png", bytes: 300_000)
      case "/endless": answer(type: "image/png", bytes: 300_000, length: nil)
      case "/moved": answer(status: "302 Found", more: "Location: /a.png\r\n", bytes: 0)
      case "/circle": answer(status: "302 Found", more: "Location: /circle\r\n", bytes: 0)
      case "/away":
        answer(
          status: "302 Found", more: "Location: http://zoe:word@127.0.0.1/a.png\r\n", bytes: 0)
      case "/silent": nil
      default: answer(status: "404 Not Found", type: "text/html", bytes: 10)
      }
    }
  }

  private static func answer(
    status: String = "200 OK", type: String? = nil, more: String = "", bytes: Int, length: Int? = -1
  ) -> Data {
    let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
    let length = length.map { "Content-Length: \($0 < 0 ? bytes : $0)\r\n" } ?? ""
    let head = "HTTP/1.1 \(status)\r\n\(type)\(length)\(more)Connection: close\r\n\r\n"
    return Data(head.utf8) + Data(repeating: 7, count: bytes)
  }

  private func fetch(
    _ path: String, insecure: Bool = true, timeout: TimeInterval = 60
  ) async throws -> FetchedFile {
    try await AttachmentTransfer.fetch(
      AttachmentRequest(
        url: try Self.server.get().url(path), maximumBytes: 100_000, timeout: timeout,
        allowsInsecureHTTP: insecure))
  }

  @Test(arguments: ["/a.png", "/moved"]) func theFileIsThere(path: String) async throws {
    let fetched = try await fetch(path)
    #expect(try Data(contentsOf: fetched.file) == Data(repeating: 7, count: 1000))
    #expect(fetched.mimeType == "image/png")
    try FileManager.default.removeItem(at: fetched.file)
  }

  @Test(
    arguments: [
      ("/missing", .init(.status, status: 404)), ("/large", .init(.size)),
      ("/endless", .init(.size)), ("/circle", .init(.addressNotAllowed)),
      ("/away", .init(.addressNotAllowed)),
    ] as [(String, AttachmentDownload.Failure)])
  func boundsEndTheDownload(path: String, failure: AttachmentDownload.Failure) async {
    await #expect(throws: failure) { try await fetch(path) }
  }

  @Test func anInsecureRedirectionIsNotFollowed() async {
    await #expect(throws: AttachmentDownload.Failure(.addressNotAllowed)) {
      try await fetch("/moved", insecure: false)
    }
  }

  @Test func aSilentServerIsNotWaitedForForever() async {
    await #expect(throws: AttachmentDownload.Failure(.timeout)) {
      try await fetch("/silent", timeout: 1)
    }
  }

  @Test func aCancelledDownloadEnds() async throws {
    let work = Task { try await fetch("/silent") }
    work.cancel()
    await #expect(throws: (any Error).self) { try await work.value }
  }

  @Test func aRefusedConnectionFails() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/a.png"))
    let request = AttachmentRequest(
      url: url, maximumBytes: 1, timeout: 60, allowsInsecureHTTP: true)
    await #expect(throws: (any Error).self) { try await AttachmentTransfer.fetch(request) }
  }

  @Test func itIsWhatADownloadUses() async throws {
    var download = AttachmentDownload()
    download.allowsInsecureHTTP = true
    let file = try await download.file(at: try Self.server.get().url("/a.png"))
    #expect(file.pathExtension == "png")
    try FileManager.default.removeItem(at: file)
  }
}
