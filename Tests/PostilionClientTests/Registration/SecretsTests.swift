import Foundation
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What must not leave the device, or not in this way.
@Suite struct SecretsTests {
  /// The secret of the installation would go to whomever a redirect names.
  @Test(arguments: [301, 302, 303, 307, 308])
  func noRedirectIsFollowed(_ status: Int) async throws {
    let asked = Guarded<[String]>([])
    let other = try LoopbackServer { path in
      asked.withLock { $0.append(path) }
      return Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
    }
    let target = try other.url("/stolen").absoluteString
    let server = try LoopbackServer { _ in
      Data("HTTP/1.1 \(status) Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n".utf8)
    }
    var request = URLRequest(url: try server.url("/v1"))
    request.setValue("secret", forHTTPHeaderField: "Postilion-Installation-Secret")
    let answer = try await URLSessionTransport().send(request)
    #expect(answer.status == status)
    #expect(asked.withLock { $0 } == [])
  }

  @Test(arguments: ["sender", "admin", "root"])
  func anAppWithAKeyOfABackendSendsNothing(_ kind: String) async throws {
    let device = TestDevice()
    let client = Postilion(tools: device.tools)
    var configuration = device.configuration
    configuration.clientKey = "pst_\(kind)_0123456789"
    client.start(configuration, profile: TestDevice.profile)
    client.register(token: Data(repeating: 1, count: 32), for: .apns)
    await client.settled()
    var events = client.events.makeAsyncIterator()
    #expect(await events.next() == PostilionEvent(.refused, code: "key_kind_forbidden"))
    #expect(device.log == [])
  }
}
