import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The registration of an app's installation with a Postilion server.
///
/// The app tells how things are, at any time and from any thread; the registration sees to it that
/// the server knows. It keeps the *desired state*, not a queue of calls: changes are gathered,
/// stored, and sent as one report of what differs from what the server has confirmed. It survives
/// the loss of answers, of the network and of the process, and an unchanged launch costs no
/// request within a day.
///
/// What is told before ``start(_:profile:)`` is kept and counts from then on.
public actor Postilion {
  /// The registration of this app.
  public static let shared = Postilion()

  /// What became of what was told, which the log of the system has, too, below
  /// `org.postilion.client`. Each call of this opens a stream for one more reader. It brings
  /// all that happens from then on, the newest hundred to a reader that is late. What happens while
  /// nobody reads is kept for the next reader, the newest hundred of it.
  public nonisolated var events: AsyncStream<PostilionEvent> { emit.stream() }

  private nonisolated let inbox = Inbox()
  private nonisolated let emit = Streams<PostilionEvent>(kept: 100, memory: .unread)
  private nonisolated let tools: ClientTools
  private nonisolated let background: BackgroundTime
  private nonisolated let statuses = Streams(kept: 1, memory: .last(PostilionStatus()))
  /// How far the clock of the device is ahead of the server's; `nil` until the state was read.
  private nonisolated let clockLead = Guarded<TimeInterval?>(nil)
  private var state = RegistrationState()
  /// `nil` until the stores can be read.
  private var identity: InstallationIdentity?
  /// What the store has, as far as this process knows.
  private var storedState: RegistrationState?
  private var storedChoice: Choice?
  private var storeFailure: PostilionProblem?
  /// What ``statusUpdates`` told last.
  private var toldStatus = PostilionStatus()
  /// Sends while there is something to send.
  private var work: Task<Void, Never>?
  /// The pause that the work makes after a failure.
  private var pause: Task<Void, Never>?
  /// Pauses in a row that have ended while the store could not be read or written.
  private var storePauses = 0
  private var isStopped = false
  /// Callers that wait for the work to rest.
  private var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]

  /// A registration that is kept by the app.
  /// - Parameters:
  ///   - identityStore: Keeps name and secret; the keychain where there is one, else a file.
  ///   - stateStore: Keeps what was told; a file in the directory for application support.
  ///   - consentStore: Keeps whether the person has opted in or out, apart from the rest, so that
  ///     it is there though the state is damaged; a file beside that of the state, on an Apple TV
  ///     the keychain. With a `stateStore` of your own and none of these, the state alone has it.
  ///   - transport: Sends the requests; `URLSession`.
  public init(
    identityStore: (any IdentityStore)? = nil, stateStore: (any StateStore)? = nil,
    consentStore: (any StateStore)? = nil, transport: (any PostilionTransport)? = nil
  ) {
    self.init(
      tools: ClientTools(
        identity: identityStore ?? ClientTools.identityStore,
        state: stateStore ?? ClientTools.file("state"),
        choice: consentStore ?? (stateStore == nil ? ClientTools.choiceStore : nil),
        transport: transport ?? URLSessionTransport()))
  }

  init(tools: ClientTools) {
    self.tools = tools
    background = BackgroundTime(tools.background)
  }

  deinit { pause?.cancel() }

  // MARK: What the app tells

  /// Begins to serve: once, at each launch.
  /// - Parameters:
  ///   - configuration: Which server, and how.
  ///   - profile: What is known of the device and the app.
  public nonisolated func start(
    _ configuration: PostilionConfiguration, profile: DeviceProfile = .current
  ) {
    guard !configuration.hasBackendKey else { return refuse("key_kind_forbidden") }
    var fields = profile.fields
    fields[.capabilities] = .array(configuration.capabilities.map { .string($0) })
    fields[.bundleID] = configuration.bundleID.map { .string($0) }
    tell(.launched(fields), configuration)
  }

  /// Tells the app of something that no service takes, and with it nothing else of the report: it
  /// is not sent.
  nonisolated func refuse(_ code: String) { publish(PostilionEvent(.refused, code: code)) }

  private nonisolated func publish(_ event: PostilionEvent) {
    event.log()
    emit.yield(event)
  }

  /// The system gave no token: `didFailToRegisterForRemoteNotificationsWithError`. The server lists
  /// it with its cause and its cure. Each is sent once; of more than 32 that wait, the newest are
  /// kept.
  public nonisolated func registrationFailed(_ error: any Error, kind: FailureKind = .apns) {
    if kind == .apns {
      NotificationCenter.default.post(
        name: .postilionDidFailToRegister, object: nil, userInfo: ["error": error])
    }
    let error = error as NSError
    tell(
      .failed(
        FailureReport(
          kind: kind, domain: error.domain, code: error.code, message: error.localizedDescription,
          occurredAt: tools.now())))
  }

  nonisolated func tell(
    _ change: RegistrationChange, _ configuration: PostilionConfiguration? = nil
  ) {
    inbox.add(change, configuration)
    // What the app tells as it goes to the background is stored and sent before it is suspended.
    background.hold()
    Task {
      await takeIn()
      background.release()
    }
  }

  // MARK: What is done

  /// Waits until all that was told is stored: from then on it survives the end of the process. A
  /// task that is cancelled does not wait.
  public func stored() async {
    while !takeIn(), !isStopped, !Task.isCancelled { await tools.sleep(Self.storePause(after: 0)) }
  }

  /// Waits until nothing is left to send, or until what is left has to wait after a failure:
  /// without a network up to two minutes.
  public func settled() async { await settled(within: nil) }

  /// The same, but no longer than so many seconds.
  private func settled(within seconds: TimeInterval?) async {
    takeIn()
    guard work != nil, pause == nil, !isStopped else { return }
    let caller = UUID()
    let deadline = seconds.map { seconds in
      Task {
        await tools.sleep(seconds)
        waiting.removeValue(forKey: caller)?.resume()
      }
    }
    await withCheckedContinuation { waiting[caller] = $0 }
    deadline?.cancel()
  }

  /// How the registration stands.
  public var status: PostilionStatus { status(isStored: takeIn()) }

  /// How the registration stands, and how it stands whenever that has changed, for a screen that
  /// shows it. Each call of this opens a stream for one more reader, which begins with the status
  /// as it is. A reader that is late gets the newest.
  ///
  /// ```swift
  /// for await status in Postilion.shared.statusUpdates { print(status.isUpToDate) }
  /// ```
  public nonisolated var statusUpdates: AsyncStream<PostilionStatus> { statuses.stream() }

  private func tellStatus(isStored: Bool = true) {
    let now = status(isStored: isStored)
    guard now != toldStatus else { return }
    toldStatus = now
    statuses.yield(now)
  }

  private func status(isStored: Bool) -> PostilionStatus {
    guard let configuration = inbox.configuration else { return PostilionStatus() }
    guard identity != nil else {
      var status = PostilionStatus()
      status.lastProblem = storeFailure
      return status
    }
    var status = PostilionStatus(state, waitsForOptIn: configuration.waitsForOptIn)
    status.isUpToDate = isStored && work == nil
    status.lastProblem = storeFailure ?? status.lastProblem
    return status
  }

  /// The time by the server's clock, as far as the registration knows it: that of a device whose
  /// clock is ahead is later.
  public nonisolated var serverTime: Date {
    let lead = clockLead.withLock { lead in
      // A call may come before the registration has read its store.
      if lead == nil { lead = (try? readState())?.clockLead }
      return lead ?? 0
    }
    return tools.now().addingTimeInterval(-lead)
  }

  /// Whether the library may send; see ``PostilionStatus/isOptedIn``.
  public var isOptedIn: Bool { status.isOptedIn }

  /// Opts out as ``optOut()`` does, and waits until the server has forgotten the installation, or
  /// until that has to wait, but no longer than so many seconds.
  @discardableResult
  public func optOut(within seconds: TimeInterval) async -> ChoiceProgress {
    await choose(isIn: false, within: seconds)
  }

  /// Opts in as ``optIn()`` does, and waits until the server has an installation again, or until
  /// that has to wait, but no longer than so many seconds.
  @discardableResult
  public func optIn(within seconds: TimeInterval) async -> ChoiceProgress {
    await choose(isIn: true, within: seconds)
  }

  private func choose(isIn: Bool, within seconds: TimeInterval) async -> ChoiceProgress {
    tell(.opted(isIn: isIn))
    await settled(within: seconds)
    guard state.hasChosen(isIn: isIn), storedState?.hasChosen(isIn: isIn) == true else {
      return .told
    }
    return state.isChoiceDone ? .done : .stored
  }

  /// Ends all work for good, as the end of the process does.
  func stop() {
    isStopped = true
    pause?.cancel()
    rest()
  }

  /// Whether there is nothing to do until the app tells something, or a day has passed.
  var isAtRest: Bool {
    takeIn() && work == nil
  }

  /// Seconds until a store that could not be read or written is tried again.
  private static func storePause(after pauses: Int) -> TimeInterval {
    min(RetrySchedule.longestPause, 5 * pow(2, Double(min(pauses, 20))))
  }

  /// Takes in what was told, stores it, and has it sent.
  /// - Returns: Whether it is stored.
  @discardableResult
  private func takeIn() -> Bool {
    guard let configuration = inbox.configuration else { return true }
    guard open() else {
      startWork(configuration)
      tellStatus(isStored: false)
      return false
    }
    state.turn(to: configuration)
    let changes = inbox.take()
    for change in changes { state.apply(change) }
    // What has to wait may have changed.
    if !changes.isEmpty { endPause() }
    let isStored = store()
    if next(configuration) != .rest || !isStored { startWork(configuration) }
    tellStatus(isStored: isStored)
    return isStored
  }

  private func next(_ configuration: PostilionConfiguration) -> RegistrationState.Step {
    state.next(
      at: tools.now(), interval: configuration.interval,
      waitsForOptIn: configuration.waitsForOptIn)
  }

  /// Reads the stores, once.
  /// - Returns: Whether they could be read.
  private func open() -> Bool {
    if identity != nil { return true }
    do {
      let known = try readState()
      let choice = Choice(stored: try tools.choice?.load(), hasState: known != nil)
      // A keychain outlives the app: without a state this is a new installation of it, which must
      // not begin with the person of the old one. Only a removal that is due needs the old one.
      let isNew = known == nil && choice != .optedOut
      let kept = isNew ? nil : try tools.identity.load()
      let current = kept ?? InstallationIdentity()
      if kept == nil { try tools.identity.save(current) }
      state = known ?? RegistrationState()
      state.adopt(current)
      state.adopt(choice, isLost: known == nil)
      state.launch()
      storedChoice = choice
      identity = current
      return true
    } catch {
      return storeFailed(error)
    }
  }

  /// The state that is stored; `nil` where there is none, or one that is damaged.
  private nonisolated func readState() throws -> RegistrationState? {
    try tools.state.load().flatMap { try? JSONDecoder().decode(RegistrationState.self, from: $0) }
  }

  /// Stores the state, if it is not the stored one, and the person's choice before it.
  /// - Returns: Whether it is stored.
  private func store() -> Bool {
    guard state != storedState else { return true }
    clockLead.withLock { $0 = state.clockLead }
    do {
      if let choice = state.choice, choice != storedChoice {
        try tools.choice?.save(choice.stored)
        storedChoice = choice
      }
      try tools.state.save(JSONEncoder().encode(state))
      storedState = state
      storeFailure = nil
      return true
    } catch {
      return storeFailed(error)
    }
  }

  /// Tells of a store that cannot be read or written, once for each error.
  private func storeFailed(_ error: any Error) -> Bool {
    let detail = RequestFailure(error).detail
    if detail != storeFailure?.code {
      storeFailure = PostilionProblem(code: detail, date: tools.now())
      publish(PostilionEvent(.waiting, code: detail))
    }
    return false
  }

  private func startWork(_ configuration: PostilionConfiguration) {
    guard work == nil, !isStopped else { return }
    background.hold()
    work = Task {
      await tools.sleep(configuration.coalescing)
      await send()
    }
  }

  /// Sends until nothing is left to send, or until what is left has to wait.
  private func send() async {
    while !isStopped {
      guard takeIn(), let identity, let configuration = inbox.configuration else {
        return waitForStore()
      }
      storePauses = 0
      switch next(configuration) {
      case .rest: return endWork()
      case .wait(let seconds): return wait(seconds)
      case .send(let request):
        state.willSend(request, at: tools.now())
        // What is under way must be known to a process that comes after this one.
        guard store() else { return waitForStore() }
        let place = state.place
        let outcome = await outcome(of: request, configuration, identity)
        // The answer of a server that the app has left says nothing of the other.
        if state.place == place { end(request, outcome) }
      }
    }
    endWork()
  }

  private func endWork() {
    work = nil
    tellStatus()
    rest()
    background.release()
  }

  private func waitForStore() {
    tellStatus(isStored: false)
    wait(Self.storePause(after: storePauses))
  }

  /// Goes on in so many seconds, or when there is something new. A registration that the app has
  /// let go of meanwhile ends there.
  private func wait(_ seconds: TimeInterval) {
    let pause = Task { [tools] in await tools.sleep(seconds) }
    self.pause = pause
    work = Task { [weak self] in
      await pause.value
      await self?.isOver(pause)
    }
    rest()
    // Nobody keeps the process running for a pause.
    background.release()
  }

  /// A pause has ended by itself, unless there was something new meanwhile.
  private func isOver(_ pause: Task<Void, Never>) {
    guard self.pause == pause else { return }
    storePauses += 1
    endPause()
  }

  private func endPause() {
    guard let pause else { return }
    pause.cancel()
    self.pause = nil
    background.hold()
    work = Task { await send() }
  }

  private func rest() {
    for caller in waiting.values { caller.resume() }
    waiting = [:]
  }

  private func outcome(
    of request: ClientRequest, _ configuration: PostilionConfiguration,
    _ identity: InstallationIdentity
  ) async -> RequestOutcome {
    do {
      let response = try await tools.transport.send(
        URLRequest(request, configuration, secret: identity.secret))
      return RequestOutcome(response, to: request)
    } catch {
      return .failed(RequestFailure(error))
    }
  }

  private func end(_ request: ClientRequest, _ outcome: RequestOutcome) {
    var events = state.ended(request, outcome, at: tools.now(), random: tools.random())
    if outcome == .secretRefused, renew() { events = [PostilionEvent(.renewed)] }
    // Without it a process that comes after this one sends again; nothing is lost.
    _ = store()
    tellStatus()
    for event in events { publish(event) }
  }

  /// Makes a new installation: the server does not take the secret of the old one.
  /// - Returns: Whether it is stored; else the old one is tried again later.
  private func renew() -> Bool {
    let new = InstallationIdentity()
    do {
      try tools.identity.save(new)
    } catch {
      return false
    }
    identity = new
    state.renew(new)
    return true
  }
}

extension URLRequest {
  /// A request with the address and the key of the server.
  fileprivate init(
    _ request: ClientRequest, _ configuration: PostilionConfiguration, secret: String
  ) {
    let path = "v1/apps/\(configuration.app)/\(request.path)"
    self.init(url: configuration.server.appendingPathComponent(path))
    httpMethod = request.method.rawValue
    setValue("Bearer \(configuration.clientKey)", forHTTPHeaderField: "Authorization")
    setValue(secret, forHTTPHeaderField: "Postilion-Installation-Secret")
    guard let body = request.body else { return }
    setValue("application/json", forHTTPHeaderField: "Content-Type")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    httpBody = try? encoder.encode(body)
  }
}
