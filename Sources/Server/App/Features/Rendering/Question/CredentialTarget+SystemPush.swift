internal import APNs
internal import DeviceProfile
internal import Registry
internal import Rendering

extension CredentialTarget {
  /// The target of a push.
  /// - Parameter name: The name of the activity, session or control, if the push names one.
  init(of push: SystemPush, named name: String?) {
    switch push.credential {
    case .liveActivityStart: self.init(.liveActivityStart, [push.type].compactMap { $0 })
    case .liveActivities:
      self.init(
        .liveActivities, [name].compactMap { $0 }, type: push.type, isEnd: push.event == .end)
    case .controls: self.init(.controls, [push.handler, name].compactMap { $0 })
    case let kind: self.init(kind, [name].compactMap { $0 })
    }
  }
}
