import Foundation

/// A picture, sound or film that a notification shows.
public struct NotificationAttachment: Sendable, Hashable {
  /// The member of a payload that lists attachments, unless the app says otherwise: of one that the
  /// system shows with the service extension, and of one that the app shows itself.
  public static let defaultKey = "attachments"

  /// Where the file is.
  public enum Source: Sendable, Hashable {
    /// The name of a file in the app's bundle, with its extension.
    case bundled(String)
    /// A file on the device. The system moves it away from there.
    case file(URL)
    /// A file elsewhere, which ``AttachmentDownload`` has to fetch before.
    case remote(URL)
  }

  /// Its name within the notification; empty lets the system choose one.
  public var identifier: String
  /// Where the file is.
  public var source: Source

  /// An attachment.
  public init(_ source: Source, identifier: String = "") {
    self.source = source
    self.identifier = identifier
  }

  /// Reads the attachments of a payload: a text, or a list of texts.
  ///
  /// A text is the name of a file in the app's bundle, without `/`, or an `https` address. Anything
  /// else is left out, and so are all but the first 8: above all, a payload cannot name a file of
  /// the app's container, as the system would move it away.
  ///
  ///     "map.png"                         the file of the bundle
  ///     ["https://example.com/a.jpg"]     a download
  ///     ["../secrets.png", 7]             nothing
  public static func attachments(in value: PayloadValue) -> [NotificationAttachment] {
    attachments(in: value, insecure: false)
  }

  /// The same; `http` addresses may count, too.
  static func attachments(in value: PayloadValue, insecure: Bool) -> [NotificationAttachment] {
    let texts = value.array?.compactMap(\.string) ?? value.string.map { [$0] } ?? []
    let sources = texts.compactMap { Source(text: $0, insecure: insecure) }
    return sources.prefix(ReceivingLimits.attachments).map { NotificationAttachment($0) }
  }
}

extension NotificationAttachment.Source {
  /// Reads a name or an address of a payload.
  fileprivate init?(text: String, insecure: Bool) {
    if let url = URL(string: text), AttachmentDownload.isAllowed(url, insecure: insecure) {
      self = .remote(url)
      return
    }
    let isName = !text.isEmpty && !text.hasPrefix(".") && !text.contains("/")
    guard isName && !text.contains(":") && !text.contains("\0") else { return nil }
    self = .bundled(text)
  }
}
