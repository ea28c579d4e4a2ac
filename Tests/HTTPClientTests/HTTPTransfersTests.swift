import Foundation
import HTTPClient
import Testing

/// Posts to many servers at once.
@Suite struct HTTPTransfersTests {
  /// Transfers with a thread of their own, which ends with them.
  private final class Running: Sendable {
    let transfers: HTTPTransfers

    init(allows: @escaping @Sendable (String) -> Bool = { _ in true }) {
      transfers = HTTPTransfers(keptConnections: 4, allows: allows)
      let transfers = transfers
      Thread.detachNewThread { transfers.run() }
    }

    deinit { transfers.close() }

    func post(
      _ url: String, seconds: Int = 60
    ) async -> Result<HTTPResponseHead, HTTPClientError> {
      await withCheckedContinuation { continuation in
        var request = HTTPRequest(
          "POST", url, fields: [("X-One", "1"), ("Content-Type", "application/json")],
          body: .bytes(Array("{\"a\":1}".utf8)))
        request.totalSeconds = seconds
        transfers.start(request) { continuation.resume(returning: $0) }
      }
    }
  }

  private func status(_ result: Result<HTTPResponseHead, HTTPClientError>) -> Int? {
    if case .success(let head) = result { head.status } else { nil }
  }

  private func cause(
    _ result: Result<HTTPResponseHead, HTTPClientError>
  ) -> HTTPClientError.Cause? {
    if case .failure(let error) = result { error.cause } else { nil }
  }

  @Test func aPostIsAnswered() async throws {
    let server = CannedServer([
      ("{\"a\":1}", "HTTP/1.1 202 Accepted\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nok")
    ])
    let result = await Running().post("http://127.0.0.1:\(server.port)/hook?a=b")
    guard case .success(let head) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(head.status == 202)
    #expect(head["retry-after"] == "7")
    let lines = server.requests[0].split(whereSeparator: \.isNewline)
    #expect(lines.first == "POST /hook?a=b HTTP/1.1")
    for line in ["X-One: 1", "Content-Type: application/json", "Content-Length: 7"] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
  }

  @Test func whatSendsElsewhereIsNotFollowed() async {
    let server = CannedServer([
      ("{\"a\":1}", "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"),
      ("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ])
    let running = Running()
    #expect(status(await running.post("http://127.0.0.1:\(server.port)/")) == 302)
    #expect(server.requests.count == 1)
  }

  /// By the address that is connected to, for every way to write it.
  @Test(arguments: ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
  func anAddressThatIsNotAllowedIsNotConnectedTo(host: String) async {
    let server = CannedServer([("{\"a\":1}", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
    let running = Running { !$0.hasSuffix("127.0.0.1") && $0 != "::1" }
    let result = await running.post("http://\(host):\(server.port)/")
    #expect(cause(result) == .refused)
    #expect(server.requests == [])
  }

  @Test func aServerThatSaysNothingHoldsUpNobody() async {
    let silent = CannedServer([("never", "")])
    let lively = CannedServer([("{\"a\":1}", "HTTP/1.1 204 No Content\r\n\r\n")])
    let running = Running()
    async let late = running.post("http://127.0.0.1:\(silent.port)/", seconds: 2)
    #expect(status(await running.post("http://127.0.0.1:\(lively.port)/")) == 204)
    #expect(cause(await late) == .timeout)
  }

  @Test func anAnswerWithoutEndIsBrokenOff() async {
    let body = String(repeating: "x", count: 200_000)
    let server = CannedServer([
      ("{\"a\":1}", "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n\(body)")
    ])
    #expect(status(await Running().post("http://127.0.0.1:\(server.port)/")) == 200)
  }

  @Test func anAnswerThatBreaksOffBehindItsHeadIsOne() async {
    let server = CannedServer([
      ("{\"a\":1}", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    ])
    #expect(status(await Running().post("http://127.0.0.1:\(server.port)/")) == 200)
  }

  @Test(arguments: ["HTTP/1.1 200", "HTTP/1.1 204"])
  func aStatusWithoutABlankBehindItIsOne(line: String) async {
    let server = CannedServer([("{\"a\":1}", "\(line)\r\nContent-Length: 0\r\n\r\n")])
    let result = await Running().post("http://127.0.0.1:\(server.port)/")
    #expect(status(result) == Int(line.suffix(3)))
  }

  /// The address is right: it is the receiver that is none.
  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example.com ESMTP\r\n", "<html></html>\n", "\u{0}\u{1}\n",
    "HTTP/9.9 200 OK\r\n\r\n", "200 OK\r\n\r\n", "",
  ])
  func bytesThatAreNoHTTPAreATransferThatFailed(bytes: String) async {
    let server = CannedServer([("{\"a\":1}", bytes)])
    #expect(cause(await Running().post("http://127.0.0.1:\(server.port)/")) == .transfer)
  }

  @Test(arguments: ["http://", "http://[::1", "ftp://127.0.0.1/", "nothing://127.0.0.1/"])
  func anAddressThatIsNoneIsOne(url: String) async {
    #expect(cause(await Running().post(url)) == .address)
  }

  /// Nobody knows what it would have said.
  @Test func anAnswerWithoutAnEndOfItsFieldsIsNone() async {
    let field = "X: " + String(repeating: "x", count: 8000) + "\r\n"
    let server = CannedServer([
      ("{\"a\":1}", "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 9))
    ])
    #expect(cause(await Running().post("http://127.0.0.1:\(server.port)/")) == .transfer)
  }

  @Test func whatIsUnderWayAtTheEndIsStopped() async {
    let silent = CannedServer([("never", "")])
    let running = Running()
    async let result = running.post("http://127.0.0.1:\(silent.port)/")
    running.transfers.close()
    #expect(cause(await result) == .stopped)
    #expect(cause(await running.post("http://127.0.0.1:\(silent.port)/")) == .stopped)
  }
}
