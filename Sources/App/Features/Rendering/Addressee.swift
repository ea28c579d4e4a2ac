internal import DeviceProfile
internal import Registry

/// A device, or that there is no way to it.
enum Addressee: Sendable {
  case device(Device)
  case unreachable(SkipReason)

  /// What is known of a device and its token.
  init(_ traits: DeviceTraits) {
    if let reason = SkipReason(status: traits.status) {
      self = .unreachable(reason)
    } else {
      self = .device(traits.device)
    }
  }
}
