import JSON
import Registry

/// Why a registration fails with a known error, and what helps.
///
/// The message of an error is in the device's language, so domain and code classify it. Not every
/// failure is an error: while a device has no connection to APNs, neither callback comes, and
/// PushKit has no callback for failures at all, so an app words such a report itself.
struct FailureExplanation: Hashable, Sendable {
  let cause: String
  let cure: String

  private init(_ cause: String, cure: String) {
    self.cause = cause
    self.cure = cure
  }

  /// The explanation of an error; `nil` when nothing is known about it.
  init?(domain: String, code: Int64) {
    guard let found = Self.known[domain]?[code] ?? Self.knownDomains[domain] else { return nil }
    self = found
  }

  var jsonValue: JSONValue { .object(["cause": .string(cause), "cure": .string(cure)]) }

  /// Explanations by domain and code.
  static let known: [String: [Int64: Self]] = [
    // Apple, “application(_:didFailToRegisterForRemoteNotificationsWithError:)” and TN2265.
    "NSCocoaErrorDomain": [
      3000: Self(
        "The build has no valid aps-environment entitlement: the Push Notifications capability is "
          + "missing, or the provisioning profile was made without it.",
        cure: "Add the capability to the target, renew the provisioning profile and ship a new "
          + "build. This build can never register."),
      3010: Self(
        "The app ran in a simulator that cannot register: with Xcode before 14, macOS before 13, "
          + "or on an Intel Mac without a T2 chip.",
        cure: "Nothing is wrong with the app. Newer simulators register with the sandbox; or use "
          + "a device."),
    ],
    // Apple, “NSURLError”: the system reached a network or server late or not at all.
    "NSURLErrorDomain": [
      -1001: Self("The network did not answer in time.", cure: connect),
      -1003: Self("The name of Apple's server was not found: DNS does not work.", cure: connect),
      -1004: Self("Apple's server could not be reached, as behind a firewall.", cure: connect),
      -1005: Self("The network went away in the middle.", cure: connect),
      -1009: Self("The device was offline.", cure: connect),
    ],
    // Apple, “UNError.Code.notificationsNotAllowed”.
    "UNErrorDomain": [
      1: Self(
        "The person, or a restriction of the device, does not allow the app notifications.",
        cure: "Registration needs no permission, so the token can still be used for background "
          + "pushes. Explain the benefit in the app and lead to its notification settings.")
    ],
  ]

  /// Explanations by domain, for codes that ``known`` does not have.
  static let knownDomains: [String: Self] = [
    "NSURLErrorDomain": Self("A network or server could not be reached.", cure: connect)
  ]

  private static let connect =
    "Register again when the device is online, at the next launch at the latest. If many devices "
    + "of one network report it, open TCP port 5223, and 443 as its substitute, to APNs there."
}
