internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Registry

/// A body of `POST …/render` for one installation, taken apart by places in its bytes as a
/// ``QuickLine`` is, and its message not read: the bodies by which a backend tells many people the
/// same differ in ``installation`` and ``arguments`` alone.
struct QuickBody: Sendable {
  let bytes: [UInt8]
  let installation: InstallationID
  /// The object of the arguments, if there is one.
  private let arguments: Range<Int>?
  /// The body without the values of `to` and `arguments`. Nobody has looked whether it is sound.
  let frame: [UInt8]

  /// - Returns: `nil` when it is not such a body; it may be one all the same.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Limits.quickBodyBytes, (try? UTF8Span(validating: bytes.span)) != nil
    else { return nil }
    var address: QuickLine.Address?
    var to: Range<Int>?
    var arguments: Range<Int>?
    let isRead = bytes.withUnsafeBufferPointer { bytes in
      var scanner = QuickScanner(bytes: bytes, index: 0, end: bytes.count)
      let isRead = scanner.object { scanner, name in
        if scanner.equals(name, "to") {
          guard to == nil, let value = scanner.value() else { return false }
          var inner = QuickScanner(bytes: bytes, index: value.lowerBound, end: value.upperBound)
          (to, address) = (value, inner.address())
          return inner.isAtEnd
        }
        if scanner.equals(name, "arguments") {
          guard arguments == nil, let value = scanner.value() else { return false }
          arguments = value
          return true
        }
        return scanner.value() != nil
      }
      return isRead && scanner.isAtEnd
    }
    guard isRead, let to, case .installation(let id)? = address else { return nil }
    self.bytes = bytes
    self.arguments = arguments
    installation = InstallationID(id)
    var frame: [UInt8] = []
    frame.reserveCapacity(bytes.count)
    var end = 0
    for cut in [to, arguments].compactMap(\.self).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      frame += bytes[end..<cut.lowerBound]
      end = cut.upperBound
    }
    self.frame = frame + bytes[end...]
  }

  /// Reads the arguments.
  /// - Parameter places: Gets a range for each parameter.
  /// - Returns: `nil` when they are not those of a ``QuickLine``.
  func line(_ reader: QuickLineReader, _ places: inout [Range<Int>]) -> QuickLine? {
    places = Array(repeating: 0..<0, count: reader.names.count)
    var given: UInt64? = 0
    if let arguments {
      given = bytes.withUnsafeBufferPointer { bytes in
        var scanner = QuickScanner(
          bytes: bytes, index: arguments.lowerBound, end: arguments.upperBound)
        return reader.readArguments(&scanner, 0, &places)
      }
    }
    return given.map { given in
      QuickLine(
        line: bytes.indices, address: .installation(installation.uuid), given: given,
        firstArgument: 0, badge: nil, collapseID: nil)
    }
  }

  /// What a recipient of the same arguments would have as its line.
  var recipientLine: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("to")
      writer.object { $0.member("installation", installation.text) }
      if let arguments {
        writer.key("arguments")
        writer.raw(Array(bytes[arguments]))
      }
    }
    return writer.bytes
  }
}
