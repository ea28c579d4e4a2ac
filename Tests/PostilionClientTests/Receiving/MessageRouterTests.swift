import Foundation
import Testing

@testable import PostilionClient

@Suite struct MessageRouterTests {
  private static func payload(_ type: String?, _ number: Int = 0) -> RemotePayload {
    RemotePayload(data: [
      "messageType": type.map(PayloadValue.string) ?? .null, "number": .integer(Int64(number)),
    ])
  }

  struct Greeting: MessageProcessor {
    static let messageType = "greeting"
    let text: String

    init(payload: RemotePayload) throws { text = try payload.decode(String.self, from: "text") }

    func process() async -> FetchResult { text == "new" ? .newData : .noData }
  }

  @Test(
    arguments: [
      ("new", .newData), ("old", .noData), (7, .failed), (nil, .failed),
    ] as [(PayloadValue, FetchResult)])
  func aProcessorIsMadeForEachPayload(text: PayloadValue, result: FetchResult) async {
    let router = MessageRouter()
    router.register(Greeting.self)
    let outcome = await router.route(
      RemotePayload(data: ["messageType": "greeting", "text": text]))
    #expect(outcome == RoutingOutcome(messageType: "greeting", isHandled: true, result: result))
  }

  @Test(arguments: ["other", "", nil]) func unknownTypesAreReported(type: String?) async {
    let router = MessageRouter()
    router.register(Greeting.self)
    let outcome = await router.route(Self.payload(type))
    let known = type == "" ? nil : type
    #expect(outcome == RoutingOutcome(messageType: known, isHandled: false, result: .noData))
    #expect(router.keptCount == 1)
  }

  @Test func theLastProcessorOfATypeCounts() async {
    let router = MessageRouter()
    router.register(Greeting.self)
    router.register("greeting") { _ in .newData }
    #expect(await router.route(Self.payload("greeting")).result == .newData)
    router.unregister("greeting")
    #expect(await router.route(Self.payload("greeting")).isHandled == false)
  }

  /// Answers as it is told, and notes what it was offered.
  final class Recorder: RemotePayloadHandler {
    private let answer: @Sendable (RemotePayload) -> FetchResult?
    private let stream: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init(_ answer: @escaping @Sendable (RemotePayload) -> FetchResult?) {
      self.answer = answer
      (stream, continuation) = AsyncStream.makeStream()
    }

    func handle(_ payload: RemotePayload) async -> FetchResult? {
      continuation.yield(payload.number)
      return answer(payload)
    }

    /// The next so many numbers of payloads that it was offered; waits for them.
    func numbers(_ count: Int) async -> [Int] {
      var numbers: [Int] = []
      for await number in stream.prefix(count) { numbers.append(number) }
      return numbers
    }
  }

  @Test(
    arguments: [
      ([.noData, .newData], .newData, true), ([.failed, .noData], .failed, true),
      ([nil, .noData], .noData, true), ([nil, nil], .noData, false), ([], .noData, false),
    ] as [([FetchResult?], FetchResult, Bool)])
  func resultsOfAllHandlersAreCombined(
    answers: [FetchResult?], result: FetchResult, isHandled: Bool
  ) async {
    let router = MessageRouter()
    let handlers = answers.map { answer in Recorder { _ in answer } }
    for handler in handlers { router.add(handler) }
    let outcome = await router.route(Self.payload("any", 5))
    #expect(outcome.result == result)
    #expect(outcome.isHandled == isHandled)
    for handler in handlers { #expect(await handler.numbers(1) == [5]) }
    withExtendedLifetime(handlers) {}
  }

  @Test func aProcessorAndAHandlerAreBothAsked() async {
    let router = MessageRouter()
    router.register("any") { _ in .failed }
    let handler = Recorder { _ in .newData }
    router.add(handler)
    #expect(await router.route(Self.payload("any")).result == .newData)
    router.remove(handler)
    #expect(await router.route(Self.payload("any")).result == .failed)
  }

  @Test func handlersAreHeldWeakly() async {
    let router = MessageRouter()
    weak var released: Recorder?
    do {
      let handler = Recorder { _ in .newData }
      released = handler
      router.add(handler)
      #expect(await router.route(Self.payload("any")).isHandled)
      withExtendedLifetime(handler) {}
    }
    #expect(released == nil)
    #expect(await router.route(Self.payload("any")).isHandled == false)
  }

  @Test func aHandlerIsAddedOnce() async {
    let router = MessageRouter()
    let handler = Recorder { _ in .noData }
    router.add(handler)
    router.add(handler)
    await router.route(Self.payload("any", 1))
    await router.route(Self.payload("any", 2))
    #expect(await handler.numbers(2) == [1, 2])
  }

  @Test func whatCameTooEarlyIsDeliveredInOrder() async {
    let router = MessageRouter()
    for number in 0..<40 {
      let type = number.isMultiple(of: 2) ? "even" : "odd"
      #expect(await router.route(Self.payload(type, number)).isHandled == false)
    }
    #expect(router.keptCount == 32)
    let (numbers, continuation) = AsyncStream<Int>.makeStream()
    router.register("odd") { payload in
      continuation.yield(payload.number)
      return .newData
    }
    var seen: [Int] = []
    for await number in numbers.prefix(16) { seen.append(number) }
    // 0 to 7 were dropped for the newer.
    #expect(seen == Array(stride(from: 9, to: 40, by: 2)))
    #expect(router.keptCount == 16)
    let handler = Recorder { $0.number == 20 ? nil : .newData }
    router.add(handler)
    #expect(await handler.numbers(16) == Array(stride(from: 8, to: 40, by: 2)))
    let last = Recorder { _ in .newData }
    router.add(last)
    #expect(await last.numbers(1) == [20])
  }

  @Test func aHandlerThatComesWhileOthersDeclineIsAsked() async {
    let router = MessageRouter()
    let late = Recorder { _ in .newData }
    let early = Recorder { [weak router] _ in
      router?.add(late)
      return nil
    }
    router.add(early)
    let outcome = await router.route(Self.payload("any", 3))
    #expect(outcome.isHandled)
    #expect(outcome.result == .newData)
    #expect(router.keptCount == 0)
    #expect(await late.numbers(1) == [3])
    withExtendedLifetime((early, late)) {}
  }

  @Test func everyStreamHasEveryPayload() async {
    let router = MessageRouter()
    let streams = [router.payloads, router.payloads]
    for number in 0..<3 { await router.route(Self.payload(nil, number)) }
    for stream in streams {
      var seen: [Int] = []
      for await payload in stream.prefix(3) { seen.append(payload.number) }
      #expect(seen == [0, 1, 2])
    }
  }

  @Test func aSlowConsumerMissesTheOldestPayloads() async {
    let router = MessageRouter()
    let stream = router.payloads
    for number in 0..<100 { await router.route(Self.payload(nil, number)) }
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next()?.number == 68)
  }

  @Test func streamsEndWithTheRouter() async {
    var router: MessageRouter? = MessageRouter()
    let stream = router?.payloads
    await router?.route(Self.payload(nil, 1))
    router = nil
    var seen: [Int] = []
    if let stream {
      for await payload in stream { seen.append(payload.number) }
    }
    #expect(seen == [1])
  }

  /// Payloads, processors and handlers at the same time from many tasks: each payload is handled
  /// exactly once in the end, by the processor of its type, whether it came before or after it.
  @Test func payloadsAndRegistrationsMayComeAtOnce() async {
    for _ in 0..<20 {
      let router = MessageRouter()
      let (numbers, continuation) = AsyncStream<Int>.makeStream()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<24 {
          group.addTask { await router.route(Self.payload("type\(number % 4)", number)) }
        }
        for type in 0..<4 {
          group.addTask {
            router.register("type\(type)") { payload in
              continuation.yield(payload.number)
              return .newData
            }
          }
          group.addTask {
            let handler = Recorder { _ in nil }
            router.add(handler)
            await router.route(Self.payload(nil, -1))
            router.remove(handler)
          }
        }
      }
      var seen: [Int] = []
      for await number in numbers.prefix(24) { seen.append(number) }
      #expect(seen.sorted() == Array(0..<24))
      continuation.finish()
      for await number in numbers { Issue.record("\(number) came twice") }
    }
  }

  /// It does not end, and heeds no cancellation.
  @Test func whenTheTimeEndsTheRouterWaitsNoLonger() async {
    let (begun, gate) = (Gate(), Gate())
    let (cancelled, continuation) = AsyncStream<Bool>.makeStream()
    let router = MessageRouter(
      within: 25,
      sleep: { seconds in
        #expect(seconds == 25)
        await begun.opened()
      }, messageType: { $0.messageType() })
    router.register("any") { _ in
      await begun.open()
      await gate.opened()
      continuation.yield(Task.isCancelled)
      return .newData
    }
    let outcome = await router.route(Self.payload("any"))
    #expect(
      outcome
        == RoutingOutcome(messageType: "any", isHandled: true, result: .failed, isLate: true))
    // It was taken: nobody else gets it.
    #expect(router.keptCount == 0)
    await gate.open()
    #expect(await cancelled.first { _ in true } == true)
    // The next payload has its own time.
    router.register("any") { _ in .noData }
    #expect(await router.route(Self.payload("any")).isLate == false)
  }

  @Test(arguments: ApplicationState.allCases.map(Optional.some) + [nil])
  func aProcessorFindsTheStateOfTheApp(state: ApplicationState?) async {
    let router = MessageRouter()
    let (states, continuation) = AsyncStream<ApplicationState?>.makeStream()
    router.register("any") { _ in
      continuation.yield(ApplicationState.current)
      return .noData
    }
    let handler = Recorder { _ in
      continuation.yield(ApplicationState.current)
      return nil
    }
    router.add(handler)
    await router.route(Self.payload("any"), in: state)
    // An app delegate may set it around its own work, too.
    await ApplicationState.$current.withValue(state) { _ = await router.route(Self.payload("any")) }
    var seen: [ApplicationState?] = []
    for await state in states.prefix(4) { seen.append(state) }
    #expect(seen == [state, state, state, state])
    withExtendedLifetime(handler) {}
  }

  @Test func aPayloadThatWaitedHasNoState() async {
    let router = MessageRouter()
    await router.route(Self.payload("any"), in: .background)
    let (states, continuation) = AsyncStream<ApplicationState?>.makeStream()
    ApplicationState.$current.withValue(.active) {
      router.register("any") { _ in
        continuation.yield(ApplicationState.current)
        return .noData
      }
    }
    #expect(await states.first { _ in true } == .some(nil))
  }

  @MainActor final class Screen: RemotePayloadHandler {
    var shown = 0

    @MainActor func handle(_ payload: RemotePayload) async -> FetchResult? {
      shown += payload.number
      return .newData
    }
  }

  @Test @MainActor func aScreenHandlesOnTheMainActor() async {
    let router = MessageRouter()
    let screen = Screen()
    router.add(screen)
    await router.route(Self.payload(nil, 3))
    #expect(screen.shown == 3)
  }
}

extension RemotePayload {
  /// The member by which the tests tell payloads apart; -1 if there is none.
  fileprivate var number: Int { Int(data["number"]?.integer ?? -1) }
}
