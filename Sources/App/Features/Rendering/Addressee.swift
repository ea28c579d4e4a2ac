internal import Content
internal import DeviceProfile
internal import Postgres
internal import Registry
internal import Rendering

/// The devices with the same traits, or that there is no way to them.
enum Addressee: Sendable {
  case device(Device, DeviceCatalogs)
  case unreachable(SkipReason)

  /// Reads traits, and finds the catalogs of the device.
  init(_ traits: RawColumns, _ found: RenderCatalogs) async throws {
    let traits = try traits.read(DeviceTraits.init)
    if let reason = SkipReason(status: traits.status) {
      self = .unreachable(reason)
    } else {
      self = .device(traits.device, try await found.catalogs(for: traits.device))
    }
  }
}

/// What a device gets, or why it gets nothing. This is decided here and nowhere else.
enum Verdict: Sendable {
  case content(RenderedContent)
  /// The detail says what APNs would refuse.
  case skipped(SkipReason, detail: String?)
}

extension Renderer {
  /// What devices in these circumstances get.
  func verdict(in circumstances: Circumstances, includesDenied: Bool) -> Verdict {
    if !includesDenied, isDenied(by: circumstances.device.permissions) {
      return .skipped(.denied, detail: nil)
    }
    let content = content(in: circumstances)
    guard let refusal = content.refusal else { return .content(content) }
    return .skipped(
      SkipReason(rawValue: refusal.code) ?? .payloadTooLarge, detail: refusal.detail)
  }
}

extension Device {
  /// The build of its app, or else the version; empty when neither is known.
  var build: String { appBuild ?? appVersion ?? "" }
}
