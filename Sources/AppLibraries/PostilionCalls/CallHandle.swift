import PostilionClient

/// How a caller is reached: `CXHandle` as a value.
public struct CallHandle: Sendable, Hashable {
  /// What a handle is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A name within the app's own service.
    case generic
    /// A telephone number.
    case phoneNumber = "phone_number"
    /// An address of electronic mail.
    case emailAddress = "email_address"
  }

  /// What it is.
  public var kind: Kind
  /// Its text, not empty.
  public var value: String

  /// A handle.
  public init(_ kind: Kind, _ value: String) {
    self.kind = kind
    self.value = value
  }

  /// Reads a handle of a payload.
  ///
  ///     "zoe"                                        a name
  ///     "+41 79 123 45 67"                           a telephone number: + and digits, with blanks
  ///     "zoe@example.com"                            an address: one @ between other characters
  ///     {"type": "phone_number", "value": "117"}     what it says
  ///
  /// - Returns: `nil` if it has no text.
  public init?(_ value: PayloadValue) {
    guard let text = (value["value"] ?? value).identifier else { return nil }
    let kind = value["type"]?.string.flatMap(Kind.init)
    self.init(kind ?? (value.object == nil ? Self.kind(of: text) : .generic), text)
  }

  private static func kind(of text: String) -> Kind {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    if parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) { return .emailAddress }
    let number = text.hasPrefix("+") ? text.dropFirst() : text[...]
    let digits = number.filter { ("0"..."9").contains($0) }
    let isNumber = number.allSatisfy { ("0"..."9").contains($0) || " -().".contains($0) }
    return isNumber && digits.count >= 3 ? .phoneNumber : .generic
  }
}
