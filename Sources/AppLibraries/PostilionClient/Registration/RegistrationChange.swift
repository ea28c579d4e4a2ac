import Foundation

/// Something that the app has told, in the order in which it was told.
enum RegistrationChange: Sendable {
  /// The app was launched on a device of this profile.
  case launched(ReportFields)
  /// These fields have these values now.
  case fields(ReportFields)
  /// The app has these tags beside its others, or none of them any more.
  case tags([String], areAdded: Bool)
  /// The system gave a token, an object with what else is told of it, or took one back, null.
  case credential(ReportPlace, PayloadValue)
  /// These Live Activities of a type run, and no others of it.
  case activities(Set<String>, type: String)
  /// A person signed in; the proof is a JWT of the app's backend.
  case signedIn(String, proof: String?)
  case signedOut
  /// Whether the installation is to be registered at all.
  case opted(isIn: Bool)
  /// The language that the person chose in the app, or that of the system again.
  case language(String?)
  /// Something failed that the server is to hear of.
  case failed(FailureReport)
  /// The network is there again, or the app is in front again: what waits may be tried at once.
  case woken
}

extension RegistrationChange {
  /// The system gave a token of a kind that has one.
  static func token(_ field: ReportField, _ token: Data) -> Self {
    .credential(ReportPlace(field), .object(["token": .string(token.hexadecimal)]))
  }
}

extension Data {
  /// Two lower-case hexadecimal digits a byte.
  var hexadecimal: String {
    map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
