import CallKit
import Foundation
import PostilionCalls
import PostilionClient

/// The calls of couriers: Postilion reports them to the system, and the app answers them.
@MainActor
final class Calls: NSObject {
  private let provider: CXProvider
  private var registry: CallRegistry?
  private var ringing: [UUID: IncomingCall] = [:]

  override init() {
    let configuration = CXProviderConfiguration()
    configuration.supportedHandleTypes = [.generic, .phoneNumber]
    provider = CXProvider(configuration: configuration)
    super.init()
    provider.setDelegate(self, queue: nil)
    registry = CallRegistry(provider: provider) { [weak self] call, fate, _ in
      if fate == .ring { self?.ringing[call.uuid] = call }
    }
  }

  private func answer(_ uuid: UUID) {
    guard let call = ringing[uuid] else { return }
    // Here the app connects with its own service, by `call.id`.
    print("connecting", call.id ?? "-")
  }
}

// The queue `nil` is the main one, though the types of CallKit do not say so.
extension Calls: CXProviderDelegate {
  nonisolated func providerDidReset(_ provider: CXProvider) {
    MainActor.assumeIsolated { ringing = [:] }
  }

  nonisolated func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
    let uuid = action.callUUID
    MainActor.assumeIsolated { answer(uuid) }
    action.fulfill()
  }

  nonisolated func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
    let uuid = action.callUUID
    MainActor.assumeIsolated { ringing[uuid] = nil }
    action.fulfill()
  }
}
