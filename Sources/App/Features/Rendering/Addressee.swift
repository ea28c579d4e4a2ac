internal import Content
internal import DeviceProfile
internal import Postgres
internal import Registry
internal import Rendering

/// Devices with the same traits, or why none of them can be reached: they have no usable token.
enum Addressee: Sendable {
  case device(Device, DeviceCatalogs)
  case unreachable(SkipReason)

  /// Reads traits, and finds the catalogs of the device.
  init(_ traits: RawColumns, _ found: RenderCatalogs) async throws {
    let traits = try traits.read(DeviceTraits.init)
    if let reason = SkipReason(traits.usability) {
      self = .unreachable(reason)
    } else {
      self = .device(traits.device, try await found.catalogs(for: traits.device))
    }
  }
}

/// What a device with a usable token gets, or why it gets nothing. Two reasons are found before
/// this is asked: that there is no usable token (``Addressee``), and that there is no such
/// installation (``RenderJob``, ``RecipientRendering`` and ``RecentPlans``, where they look for
/// it).
enum Verdict: Sendable {
  case content(RenderedContent)
  /// The detail says what is missing or too large; the other reasons have none.
  case skipped(SkipReason, detail: String?)
}

extension Renderer {
  /// What devices in these circumstances get.
  func verdict(in circumstances: Circumstances, includesDenied: Bool) -> Verdict {
    if !includesDenied, isDenied(by: circumstances.device.permissions) {
      return .skipped(.denied, detail: nil)
    }
    if let obstacle = circumstances.obstacle { return .skipped(SkipReason(obstacle), detail: nil) }
    let content = content(in: circumstances)
    guard let refusal = content.refusal else { return .content(content) }
    return .skipped(SkipReason(refusal.cause), detail: refusal.detail)
  }
}

extension Device {
  /// The build of its app, or else the version; empty when neither is known.
  var build: String { appBuild ?? appVersion ?? "" }
}
