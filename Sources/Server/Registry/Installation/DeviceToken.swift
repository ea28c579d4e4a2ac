internal import ASCII
internal import Crypto
package import JSON

/// A device token as APNs gave it to the app: opaque bytes, 16 to 512 of them (Apple: never assume
/// a length), bound to an app, an environment and a kind.
package struct DeviceToken: Hashable, Sendable {
  package let bytes: [UInt8]

  /// Takes bytes; `nil` outside the bounds.
  package init?(bytes: [UInt8]) {
    guard Self.lengths.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Parses the text an app sends: hex in any case, also as `<740f4707 bebcf74f …>`, which is how
  /// `NSData` described itself before iOS 13, and as `74-0F-47-…`, as .NET writes bytes.
  /// - Throws: ``Fault``, which says what the app did wrong.
  package init(parsing text: String) throws(Fault) {
    var digits = Substring(text).utf8
    while digits.first == UInt8(ascii: " ") { digits.removeFirst() }
    while digits.last == UInt8(ascii: " ") { digits.removeLast() }
    if digits.first == UInt8(ascii: "<"), digits.last == UInt8(ascii: ">") {
      digits = digits.dropFirst().dropLast()
    }
    if let separator = digits.dropFirst(2).first, "-:".utf8.contains(separator) {
      // Between all bytes or none: a UUID has hyphens, too, and is no token.
      let places = digits.enumerated()
      guard places.allSatisfy({ ($0.offset % 3 == 2) == ($0.element == separator) }) else {
        throw Fault(explaining: text)
      }
      digits = Substring(String(decoding: digits.filter { $0 != separator }, as: UTF8.self)).utf8
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for character in digits {
      guard let nibble = character.hexDigit else {
        if character == UInt8(ascii: " ") { continue }
        throw Fault(explaining: text)
      }
      if let first = high {
        bytes.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
    }
    guard high == nil else { throw .oddLength }
    guard bytes.count >= Self.lengths.lowerBound else { throw .tooShort }
    guard bytes.count <= Self.lengths.upperBound else { throw .tooLong }
    self.bytes = bytes
  }

  private static let lengths =
    RegistryLimits.deviceTokenMinimumBytes...RegistryLimits.deviceTokenMaximumBytes

  /// All bytes as lower-case hex: the form of paths and answers.
  package var hex: String { Hex.encode(bytes) }

  /// The first eight hex digits: the only form for logs.
  package var redacted: String { Hex.encode(bytes.prefix(4)) }
}

extension DeviceToken {
  /// Why a text is no device token.
  package enum Fault: String, Error, Sendable, CaseIterable {
    /// The app sent `description` of `Data` (iOS 13 and later): the bytes are not in it.
    case description = "token_description"
    /// The app sent base64.
    case base64 = "token_base64"
    /// The app sent the registration token of Firebase Cloud Messaging.
    case firebase = "token_firebase"
    /// The app sent Expo's name of the device.
    case expo = "token_expo"
    /// The app sent the ARN of an endpoint of Amazon SNS.
    case amazonSNS = "token_sns"
    /// The app sent a UUID, as OneSignal, Airship and others name their devices.
    case uuid = "token_uuid"
    /// A hex digit is missing.
    case oddLength = "token_odd_length"
    /// Fewer than 16 bytes.
    case tooShort = "token_too_short"
    /// More than 512 bytes.
    case tooLong = "token_too_long"
    /// Something else.
    case notHex = "token_not_hex"

    /// Finds out what a text that is not hex was meant to be.
    package init(explaining text: String) {
      let bytes = text.utf8
      guard bytes.allSatisfy({ $0 < 0x80 }) else {
        self = .notHex
        return
      }
      if text.hasPrefix("{length") || text.hasSuffix(" bytes") || text.hasSuffix("}") {
        self = .description
      } else if text.contains(":APA91") || text.hasPrefix("APA91") {
        self = .firebase
      } else if Self.expoNames.contains(where: bytes.starts) {
        self = .expo
      } else if bytes.starts(with: "arn:".utf8) {
        self = .amazonSNS
      } else if Self.isUUID(bytes) {
        self = .uuid
      } else if bytes.count >= 20, !text.hasPrefix("0x"),
        bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || Self.base64Signs.contains($0) })
      {
        self = .base64
      } else {
        self = .notHex
      }
    }

    private static let base64Signs = Array("+/=-_".utf8)
    private static let expoNames = ["ExponentPushToken[", "ExpoPushToken["].map { Array($0.utf8) }

    /// Whether the text is written as RFC 9562 (section 4) writes a UUID, which is no token: 16
    /// bytes are fewer than APNs has ever given.
    private static func isUUID(_ bytes: String.UTF8View) -> Bool {
      bytes.count == 36
        && bytes.enumerated().allSatisfy { place, byte in
          [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : byte.hexDigit != nil
        }
    }

    /// What the app did wrong and how to do it right.
    package var detail: String {
      switch self {
      case .description:
        "This is the description of a Data value, which since iOS 13 does not contain all its "
          + "bytes. Send deviceToken.map { String(format: \"%02x\", $0) }.joined()."
      case .base64:
        "This is base64. Send the token's bytes as hex, two digits each."
      case .firebase:
        "This is a registration token of Firebase. Send the token of APNs that the app is given in "
          + "didRegisterForRemoteNotificationsWithDeviceToken."
      case .expo:
        "This is Expo's name of the device. Send the token of APNs, which "
          + "getDevicePushTokenAsync() gives."
      case .amazonSNS:
        "This is the ARN of an endpoint of Amazon SNS. Send the token of APNs, which is the "
          + "attribute Token of the endpoint."
      case .uuid:
        "This is a UUID: another service's id of the device, such as OneSignal's subscription or "
          + "Airship's channel. Send the token of APNs that the app is given in "
          + "didRegisterForRemoteNotificationsWithDeviceToken."
      case .oddLength:
        "A hex digit is missing: every byte needs two. Format bytes with %02x, not %x."
      case .tooShort:
        "A device token has at least \(RegistryLimits.deviceTokenMinimumBytes) bytes. "
          + "Is it cut off?"
      case .tooLong:
        "A device token has at most \(RegistryLimits.deviceTokenMaximumBytes) bytes."
      case .notHex:
        "A device token is written in hex digits, two for each byte."
      }
    }

    /// The fault at a place of the input.
    package func problem(at pointer: String) -> InputProblem {
      InputProblem(pointer: pointer, code: rawValue, detail: detail)
    }
  }
}
