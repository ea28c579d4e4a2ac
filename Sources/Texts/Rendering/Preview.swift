import APNs
import ASCII
public import DeviceProfile
public import JSON
import Localization

/// What a message says to people of one language.
public struct Preview: Sendable {
  /// What would be sent.
  public let content: RenderedContent
  /// What a person sees.
  public let shown: ShownAlert
  /// The texts that the server would write otherwise than the device does by itself. If there are
  /// any, the choice of the mode has a fault.
  public let differences: [AlertPart]

  public func writeMembers(to writer: inout JSONWriter) {
    writer.member("chosen", content.language)
    for part in AlertPart.allCases { writer.member(part.rawValue, shown[part]) }
    writer.member("mode", content.mode.rawValue)
    writer.key("payload")
    writer.raw(content.payload)
    writer.key("payload_bytes")
    writer.integer(Int64(content.payload.count))
    writer.key("problems")
    writer.array(content.problems) { $1.write(to: &$0) }
    if !differences.isEmpty { writer.member("differs", differences.map(\.rawValue)) }
  }
}

extension Renderer {
  /// What the people at a device get to see.
  ///
  /// A text that the device looks up by itself is looked up as a device does it, and compared with
  /// what the server would have written.
  public func preview(for device: Device, catalogs: DeviceCatalogs) -> Preview {
    let content = content(for: device, catalogs: catalogs)
    let shown = shown(by: content, catalogs)
    var differences: [AlertPart] = []
    // Without the app's strings nobody knows what keys turn into.
    if content.mode == .client, catalogs.app != nil {
      var byServer = self
      byServer.options.localization = .server
      let written = self.shown(by: byServer.content(for: device, catalogs: catalogs), catalogs)
      differences = AlertPart.allCases.filter { !shown[$0].isSpelled(like: written[$0]) }
    }
    return Preview(content: content, shown: shown, differences: differences)
  }

  private func shown(by content: RenderedContent, _ catalogs: DeviceCatalogs) -> ShownAlert {
    guard var payload = Payload(json: content.payload) else { return ShownAlert() }
    let key = app.localNotificationKey
    if content.mode == .local, case .object(let envelope)? = payload.data[key] {
      payload = Payload(envelope)
    }
    return DeviceSimulator(app: catalogs.app).shown(by: payload)
  }
}
