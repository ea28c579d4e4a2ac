import AppTesting
import Foundation
import PostilionClientTesting
import Testing

@testable import PostilionClient

/// The library and the service, over real sockets.
@Suite struct ClientServiceTests {
  /// An app on a device, whose memory outlives its launches.
  private struct Phone {
    let memory = DeviceMemory()
    let network = TestNetwork(to: URLSessionTransport())
    let configuration: PostilionConfiguration

    init(_ app: TestApp) throws {
      let server = try #require(URL(string: "http://127.0.0.1:\(app.service.port)"))
      var configuration = PostilionConfiguration(
        server: server, app: app.slug, clientKey: app.keys["client"] ?? "")
      configuration.coalescing = 0
      self.configuration = configuration
    }

    /// A new process, to which nothing was told yet.
    func process() -> Postilion {
      Postilion(identityStore: memory, stateStore: memory, transport: network)
    }

    /// A new process.
    func launch() -> Postilion {
      let client = process()
      client.start(configuration, profile: Self.profile)
      return client
    }

    static let profile = DeviceProfile(
      platform: .ios, environment: .production, languages: ["fr-CA", "en-CA"], locale: "fr_CA",
      timeZone: "America/Toronto", appVersion: "3.2.0", appBuild: "412", osVersion: "17.4.1",
      deviceModel: "iPhone15,2")

    var id: String { memory.identity?.id.uuidString.lowercased() ?? "" }

    /// The requests so far, `PUT installations`.
    var requests: [String] { get async { await network.requests } }
  }

  private static let token = Data(repeating: 0xA1, count: 32)
  private static let hex = String(repeating: "a1", count: 32)

  @Test func aDeviceIsRegisteredOnceAndKeptTrue() async throws {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    let client = phone.launch()
    client.register(token: Self.token, for: .apns)
    client.setUser("u42")
    client.setTags(["beta"])
    client.setAttributes(["plan": "pro", "orders": 3])
    client.setAuthorization(NotificationAuthorization(.authorized, [.alert: true, .sound: false]))
    client.setBackgroundRefresh(.available)
    await client.settled()
    let stored = try await app.admin.get(app.installation(phone.id)).json
    #expect(stored["credentials"]["apns"]["token"].string == Self.hex)
    #expect(stored["languages"] == ["fr-CA", "en-CA"])
    #expect(stored["user"] == ["id": "u42"])
    #expect(stored["tags"] == ["beta"])
    #expect(stored["attributes"] == ["plan": "pro", "orders": 3])
    #expect(stored["authorization"]["sound"] == false)
    #expect(stored["background_refresh"] == "available")
    let sent = await phone.requests.count

    let again = phone.launch()
    again.register(token: Self.token, for: .apns)
    await again.settled()
    #expect(await phone.requests.count == sent)
    again.setLanguage("en-CA")
    again.signOut()
    await again.settled()
    #expect(Set(await phone.requests.dropFirst(sent)) == ["PATCH installations"])
    let changed = try await app.admin.get(app.installation(phone.id)).json
    #expect(changed["languages"] == ["en-CA", "fr-CA"])
    #expect(changed["user"] == .null)
    #expect(changed["tags"] == [])
    #expect(changed["credentials"]["apns"]["status"] == "active")
  }

  @Test func aSecretThatIsRefusedHealsIntoANewInstallation() async throws {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    let first = phone.launch()
    first.register(token: Self.token, for: .apns)
    await first.settled()
    let lost = phone.id
    // The keychain comes back with another secret.
    var other = InstallationIdentity()
    other.id = try #require(UUID(uuidString: lost))
    phone.memory.identity = other
    let second = phone.launch()
    second.register(token: Self.token, for: .apns)
    second.setTags(["beta"])
    for await event in second.events where event.kind == .registered { break }
    #expect(phone.id != lost)
    let new = try await app.admin.get(app.installation(phone.id)).json
    #expect(new["credentials"]["apns"]["token"].string == Self.hex)
    let old = try await app.admin.get(app.installation(lost)).json
    #expect(old["credentials"]["apns"] == .absent)
  }

  @Test func aRestoredInstallationIsClaimedByItsToken() async throws {
    var report = Sample.report(Self.hex)
    report["attributes"] = ["plan": "pro"]
    let (app, phone, id) = try await restored(report)
    let client = phone.launch()
    client.register(token: Self.token, for: .apns)
    client.setTags(["beta"])
    for await event in client.events where event.kind == .registered { break }
    await client.settled()
    #expect(phone.id == id)
    let path = app.installation(id)
    let stored = try await app.admin.get(path).json
    #expect(stored["tags"] == ["beta"])
    #expect(stored["attributes"] == ["plan": "pro"])
    #expect(try await app.client.get(path).problem == "installation_secret_missing")
  }

  @Test func aRestoredInstallationWithAnotherTokenGetsASuccessor() async throws {
    let other = Sample.token()
    let (app, phone, id) = try await restored(Sample.report(other))
    let client = phone.launch()
    client.register(token: Self.token, for: .apns)
    client.setTags(["beta"])
    for await event in client.events where event.kind == .registered { break }
    #expect(phone.id != id)
    let new = try await app.admin.get(app.installation(phone.id)).json
    #expect(new["credentials"]["apns"]["token"].string == Self.hex)
    let old = try await app.admin.get(app.installation(id)).json
    #expect(old["credentials"]["apns"]["token"].string == other)
  }

  /// A phone whose installation the backend brought back from an export, which has no secrets.
  private func restored(
    _ report: JSON
  ) async throws -> (app: TestApp, phone: Phone, id: String) {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    let client = phone.launch()
    client.register(token: Self.token, for: .apns)
    await client.settled()
    let path = app.installation(phone.id)
    #expect(try await app.sender.delete(path).status == 204)
    #expect(try await app.sender.put(path, report).status == 201)
    return (app, phone, phone.id)
  }

  @Test func aPersonWithoutAProofIsToldOf() async throws {
    let app = try await TestApp.make(.socket, settings: ["identity_verification": "required"])
    let phone = try Phone(app)
    let client = phone.launch()
    client.register(token: Self.token, for: .apns)
    client.setUser("u42", proof: "no.good.proof")
    var codes: [PostilionEvent] = []
    for await event in client.events {
      codes.append(event)
      if event.kind == .userUnproven { break }
    }
    #expect(codes.last?.code?.hasPrefix("identity_") == true)
    await client.settled()
    let stored = try await app.admin.get(app.installation(phone.id)).json
    #expect(stored["user"] == .null)
    #expect(stored["credentials"]["apns"]["token"].string == Self.hex)
  }

  @Test func aFailureIsListedWithItsCure() async throws {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    let client = phone.launch()
    client.registrationFailed(NSError(domain: "NSCocoaErrorDomain", code: 3000))
    await client.settled()
    let failures = try await app.admin.get("\(app.path)/failures").json["items"]
    #expect(failures.elements.count == 1)
    #expect(failures[0]["error"]["code"] == 3000)
    #expect(failures[0]["explanation"]["cure"].string?.isEmpty == false)
    #expect(failures[0]["app_version"] == "3.2.0")
    #expect(await phone.requests == ["POST failures"])
  }

  /// A system that is quicker than the app.
  @Test func whatIsToldBeforeTheStartCounts() async throws {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    let client = phone.process()
    client.register(token: Self.token, for: .apns)
    client.setUser("u42")
    client.start(phone.configuration, profile: Phone.profile)
    await client.settled()
    let stored = try await app.admin.get(app.installation(phone.id)).json
    #expect(stored["credentials"]["apns"]["token"].string == Self.hex)
    #expect(stored["user"] == ["id": "u42"])
    #expect(await phone.requests == ["PUT installations"])
  }

  @Test func optingOutForgetsTheInstallation() async throws {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    let client = phone.launch()
    client.register(token: Self.token, for: .apns)
    await client.settled()
    client.optOut()
    await client.settled()
    #expect(try await app.admin.get(app.installation(phone.id)).status == 404)
    let next = phone.launch()
    next.register(token: Self.token, for: .apns)
    await next.settled()
    #expect(try await app.admin.get(app.installation(phone.id)).status == 404)
    next.optIn()
    await next.settled()
    #expect(try await app.admin.get(app.installation(phone.id)).status == 200)
  }

  @Test func anAppThatAsksFirstSendsNothingBefore() async throws {
    let app = try await TestApp.make(.socket)
    let phone = try Phone(app)
    var configuration = phone.configuration
    configuration.waitsForOptIn = true
    let client = phone.process()
    client.start(configuration, profile: Phone.profile)
    client.register(token: Self.token, for: .apns)
    await client.settled()
    #expect(await phone.requests == [])
    #expect(await client.optIn(within: 60) == .done)
    #expect(try await app.admin.get(app.installation(phone.id)).status == 200)
    #expect(await client.status.deviceToken == Self.hex)
    #expect(await client.optOut(within: 60) == .done)
    #expect(try await app.admin.get(app.installation(phone.id)).status == 404)
  }
}
