import JSON

extension RenderedContent {
  /// The contents of the `.apn` file that `xcrun simctl push` delivers to a simulator: the payload
  /// with the app's bundle id (`xcrun simctl help push`).
  public func simulatorFile(bundleID: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { $0.member("Simulator Target Bundle", bundleID) }
    let isEmpty = payload.count <= 2
    return writer.bytes.dropLast() + (isEmpty ? [] : [UInt8(ascii: ",")]) + payload.dropFirst()
  }
}
