import Foundation
import Synchronization
import TestSupport

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A device in a storm: its stores outlive its processes, its clock jumps, its network fails.
///
/// A schedule is a row of random actions of a person, of the system and of misfortune. Whatever
/// the app has told and has stored is what the server must know in the end.
final class SimulatedDevice: @unchecked Sendable {
  typealias Deliver = @Sendable (URLRequest) async throws -> TransportResponse

  let name: String
  private let lock = NSLock()
  private var generator: SplitMix64
  private let configuration: PostilionConfiguration
  private let deliver: Deliver

  /// What the flash memory holds.
  private var identityBytes: InstallationIdentity?
  private var stateBytes: Data?
  private var choiceBytes: Data?
  /// How the clock is set: seconds that it is ahead.
  private var clock: TimeInterval = 0
  private var weather = Weather.fair
  /// Whether the build that runs has a key that is none.
  private var hasWrongKey = false
  private var process: Process?
  /// When the requests went out that are on their way, by their numbers; also those of processes
  /// that have ended.
  private var underWay: [Int: TimeInterval] = [:]
  /// Requests that have gone out, for whatever came of them.
  private(set) var requests = 0

  /// How often the app has told of a failure, also in vain.
  private(set) var failureCalls = 0

  /// What the app has told and stored: what the server has to know.
  private(set) var told = Told()

  /// What an app knows of its person and its system.
  struct Told: Equatable {
    var apns = ""
    var voip: String?
    var languages = ["en-US"]
    var user: String?
    var tags: [String]?
    var build = "1"
    var isOptedIn = true
    var failures = 0
    /// Whether the server leaves something of it out, as a tag has 129 bytes.
    var isLeftOut: Bool { tags?.contains(Self.longTag) == true }

    static let longTag = String(repeating: "l", count: 129)
  }

  /// What the network does.
  struct Weather {
    /// How often of a hundred a request is lost, an answer is lost, and an answer comes only when
    /// its process is gone and another one runs.
    var lostRequests = 0
    var lostAnswers = 0
    /// How often of a hundred a hotel answers in place of the server.
    var hotelPages = 0
    /// How often of a hundred the process is killed at an await or a write.
    var kills = 0

    static let fair = Self()
    static let all = [
      fair, Self(lostRequests: 100), Self(lostRequests: 30, lostAnswers: 30),
      Self(lostAnswers: 80), Self(lostRequests: 10, lostAnswers: 10, kills: 15), Self(kills: 30),
      Self(hotelPages: 100), Self(lostAnswers: 20, hotelPages: 50, kills: 5),
    ]
  }

  /// A process: after its end nothing that it does has any effect.
  final class Process: Sendable {
    private struct State {
      var isDead = false
      var client: Postilion?
    }

    private let state = Mutex(State())

    var isDead: Bool { state.withLock { $0.isDead } }

    /// The library in it; `nil` once it is dead, as its tools refer to the process.
    var client: Postilion? { state.withLock { $0.client } }

    func start(_ client: Postilion) { state.withLock { $0.client = client } }

    /// Ends it.
    func die() {
      let client = state.withLock { state in
        defer { state = State(isDead: true) }
        return state.client
      }
      guard let client else { return }
      Task { await client.stop() }
    }
  }

  init(
    _ name: String, seed: UInt64, _ configuration: PostilionConfiguration,
    deliver: @escaping Deliver
  ) {
    self.name = name
    generator = SplitMix64(seed: seed)
    self.configuration = configuration
    self.deliver = deliver
    told.apns = hex(32)
    told.isOptedIn = !configuration.waitsForOptIn
  }

  // MARK: The schedule

  /// Lives through some actions.
  func live(actions: Int) async {
    await launch()
    for _ in 0..<actions {
      await act(random(16))
      if current.isDead || random(6) == 0 { await launch() }
      switch random(4) {
      case 0: await current.client?.settled()
      case 1: await Task.yield()
      default: break
      }
    }
    locked { (weather, hasWrongKey) = (.fair, false) }
    await launch()
  }

  private func act(_ action: Int) async {
    switch action {
    case 0...1:
      let token = hex(32)
      await tell { $0.apns = token }
    case 2:
      let token = random(3) == 0 ? nil : hex(32)
      await tell { $0.voip = token }
    case 3...4:
      let languages = pick([
        ["en-US"], ["fr-CA", "en-CA"], ["de-DE", "en-DE", "fr-FR"], ["ar-EG"],
      ])
      await tell { $0.languages = languages }
    case 5...6:
      let user = random(3) == 0 ? nil : "user-\(random(5))"
      await tell {
        // Tags are a person's.
        if $0.user != nil, $0.user != user { $0.tags = $0.tags == nil ? nil : [] }
        $0.user = user
        if user == nil { $0.tags = $0.tags == nil ? nil : [] }
      }
    case 7:
      let tags = pick([["a"], ["a", "b"], [], ["a", Told.longTag]])
      await tell { $0.tags = tags }
    case 8: await tell { $0.failures += 1 }
    case 9: if random(4) == 0 { await tell { $0.isOptedIn.toggle() } }
    case 10:
      // A regular report falls due behind 25 hours.
      let jump = pick([
        TimeInterval(random(800) - 400) * 86_400, TimeInterval(random(47) - 23) * 3600, 90_000,
        90_000,
      ])
      repeat { await awaitRequests() } while !Task.isCancelled && !setClock(by: jump)
    case 11:
      let next = pick(Weather.all)
      locked { weather = next }
    case 12: locked { process?.die() }
    case 14:
      // An update of the app with a wrong key, or the one that mends it.
      locked {
        process?.die()
        hasWrongKey.toggle()
      }
    case 13:
      // An update of the library: what is stored is of an earlier release.
      let count = random(Self.laterMembers.count + 1)
      locked {
        process?.die()
        stateBytes = stateBytes.map { Self.earlier($0, by: count) }
      }
    default:
      let build = String(random(900) + 1)
      locked { process?.die() }
      await tell { $0.build = build }
    }
  }

  /// The members that releases after the first have added to the stored state, the newest first.
  private static let laterMembers = [
    "lastProblem", "reportedAt", "hasChosen", "priorReportTime", "place",
  ]

  /// A stored state without the newest members, as an earlier release has stored it.
  private static func earlier(_ state: Data, by count: Int) -> Data {
    guard var members = try? JSONDecoder().decode([String: PayloadValue].self, from: state)
    else { return state }
    for name in laterMembers.prefix(count) { members[name] = nil }
    return (try? JSONEncoder().encode(members)) ?? state
  }

  private var current: Process {
    locked {
      if let process { return process }
      let new = Process()
      new.die()
      process = new
      return new
    }
  }

  /// The app tells something new, once more after each death until it is stored.
  private func tell(_ change: (inout Told) -> Void) async {
    var next = told
    change(&next)
    while true {
      if current.isDead { await launch() }
      let process = current
      guard let client = process.client else { continue }
      if next.build != told.build {
        // Another build comes with another launch.
        await launch(next)
      } else {
        say(next, all: false, to: client)
      }
      await current.client?.stored()
      if !current.isDead {
        told = next
        return
      }
    }
  }

  private func say(_ next: Told, all: Bool, to client: Postilion) {
    if all || next.apns != told.apns {
      client.register(token: Data(hexadecimal: next.apns), for: .apns)
    }
    if all || next.voip != told.voip {
      if let voip = next.voip {
        client.register(token: Data(hexadecimal: voip), for: .voip)
      } else if told.voip != nil {
        client.remove(.voip)
      }
    }
    if next.languages != told.languages {
      client.update(profile(next))
    }
    if next.user != told.user {
      if let user = next.user { client.setUser(user) } else { client.signOut() }
    }
    if next.tags != told.tags, let tags = next.tags, next.user != nil || told.user == nil {
      client.setTags(tags)
    }
    if next.isOptedIn != told.isOptedIn { next.isOptedIn ? client.optIn() : client.optOut() }
    if next.failures != told.failures {
      failureCalls += 1
      client.registrationFailed(NSError(domain: name, code: next.failures))
    }
  }

  /// The system starts the app: what ran is over.
  private func launch(_ given: Told? = nil) async {
    let next = given ?? told
    let process = Process()
    let client = Postilion(tools: tools(process))
    process.start(client)
    locked {
      self.process?.die()
      self.process = process
    }
    var configuration = configuration
    if locked({ hasWrongKey }) { configuration.clientKey += "x" }
    client.start(configuration, profile: profile(next))
    say(next, all: true, to: client)
  }

  /// Rests until all is told, in fair weather, or the test is over.
  func settle() async {
    while !Task.isCancelled, await current.client?.isAtRest != true {
      await current.client?.settled()
      try? await Task.sleep(nanoseconds: 1_000_000)
    }
  }

  /// Launches once more, nothing having changed.
  /// - Returns: How many requests that cost.
  func launchUnchanged() async -> Int {
    let before = requests
    await launch()
    await settle()
    return requests - before
  }

  /// What the app is told went wrong last, once it has reported all of itself again, as it does
  /// each day.
  func problemOfTheDay() async -> String? {
    // The last report may be some hours ahead of a clock that went back since.
    locked { clock += 20 * 90_000 }
    await launch()
    await settle()
    return await current.client?.status.lastProblem?.code
  }

  /// Switches the device off; what it holds is let go.
  func end() { locked { process?.die() } }

  /// The installation's name on the server.
  var installation: UUID? { locked { identityBytes?.id } }

  private func profile(_ told: Told) -> DeviceProfile {
    DeviceProfile(
      platform: .ios, environment: .production, languages: told.languages, locale: "en_US",
      timeZone: "Europe/Berlin", appVersion: "1.0", appBuild: told.build, osVersion: "17.4",
      deviceModel: "iPhone15,2")
  }

  // MARK: The world of a process

  private func tools(_ process: Process) -> ClientTools {
    ClientTools(
      identity: Flash(device: self, process: process),
      state: Flash(device: self, process: process),
      choice: ChoiceFlash(flash: Flash(device: self, process: process)),
      transport: Network(device: self, process: process),
      now: { [self] in locked { Date().addingTimeInterval(clock) } },
      random: { [self] in locked { Double.random(in: 0...1, using: &generator) } },
      sleep: { [self] seconds in
        if live(process) {
          // Time flies, but no request is under way for longer than a real one can be.
          if locked({ underWay.values.contains { clock + seconds - $0 > Self.longestRequest } }) {
            await awaitRequests()
          }
          locked { clock += seconds }
          await Task.yield()
        } else {
          try? await Task.sleep(nanoseconds: 1_000_000)
        }
      },
      background: { [self] block in
        // The system cuts the time off, and the process with it.
        if !live(process) { block(true) }
      })
  }

  /// Seconds after which no request arrives any more.
  private static let longestRequest = RegistrationState.recheckPause / 2

  /// Sets the clock, unless a request is on its way: its age would be wrong.
  private func setClock(by jump: TimeInterval) -> Bool {
    locked {
      guard underWay.isEmpty else { return false }
      clock += jump
      return true
    }
  }

  private func awaitRequests() async {
    while !Task.isCancelled, locked({ !underWay.isEmpty }) {
      try? await Task.sleep(nanoseconds: 1_000_000)
    }
  }

  /// Whether a process goes on: each await and each write may be its last.
  private func live(_ process: Process) -> Bool {
    locked {
      if Int.random(in: 0..<100, using: &generator) < weather.kills { process.die() }
      return !process.isDead
    }
  }

  private struct Flash: IdentityStore, StateStore {
    let device: SimulatedDevice
    let process: Process

    struct Dead: Error {}

    func load() throws -> InstallationIdentity? {
      guard device.live(process) else { throw Dead() }
      return device.locked { device.identityBytes }
    }
    func save(_ identity: InstallationIdentity) throws {
      try write { device.identityBytes = identity }
    }
    func load() throws -> Data? {
      guard device.live(process) else { throw Dead() }
      return device.locked { device.stateBytes }
    }
    func save(_ state: Data) throws { try write { device.stateBytes = state } }

    /// The last write of a process may be done or not.
    fileprivate func write(_ body: () -> Void) throws {
      guard !process.isDead else { throw Dead() }
      let goesOn = device.live(process)
      if goesOn || device.random(2) == 0 { device.locked { body() } }
      if !goesOn { throw Dead() }
    }
  }

  private struct ChoiceFlash: StateStore {
    let flash: Flash

    func load() throws -> Data? {
      guard flash.device.live(flash.process) else { throw Flash.Dead() }
      return flash.device.locked { flash.device.choiceBytes }
    }
    func save(_ choice: Data) throws { try flash.write { flash.device.choiceBytes = choice } }
  }

  private struct Network: PostilionTransport {
    let device: SimulatedDevice
    let process: Process

    /// What a hotel answers to whoever has not signed in.
    private static let pages = [200, 302, 401, 403, 404, 503, 511].map { status in
      TransportResponse(
        status: status, retryAfter: 86_400, body: Data("<html><title>Welcome</title></html>".utf8))
    }

    func send(_ request: URLRequest) async throws -> TransportResponse {
      guard device.live(process) else { throw URLError(.cancelled) }
      // A request goes out while its process lives, or never: time flies past none on its way.
      let (weather, number) = try device.locked {
        guard !process.isDead else { throw URLError(.cancelled) }
        device.requests += 1
        device.underWay[device.requests] = device.clock
        return (device.weather, device.requests)
      }
      defer { device.locked { device.underWay[number] = nil } }
      if device.random(100) < weather.lostRequests { throw URLError(.networkConnectionLost) }
      let isPage = device.random(100) < weather.hotelPages
      let response = isPage ? device.pick(Self.pages) : try await device.deliver(request)
      guard device.live(process), device.random(100) >= weather.lostAnswers else {
        throw URLError(.networkConnectionLost)
      }
      return response
    }
  }

  // MARK: Chance

  private func random(_ bound: Int) -> Int {
    locked { Int.random(in: 0..<bound, using: &generator) }
  }
  private func pick<Element>(_ elements: [Element]) -> Element { elements[random(elements.count)] }
  private func hex(_ bytes: Int) -> String {
    (0..<bytes).map { _ in String(format: "%02x", random(256)) }.joined()
  }
  private func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}

extension Data {
  /// The bytes of hexadecimal digits.
  init(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    let pairs = stride(from: 0, to: digits.count - 1, by: 2)
    self.init(pairs.map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}
