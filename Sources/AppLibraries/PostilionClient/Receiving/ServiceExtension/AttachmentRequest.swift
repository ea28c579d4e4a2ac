import Foundation

/// What is to be fetched, and within which bounds.
public struct AttachmentRequest: Sendable, Hashable {
  /// The address, which is allowed.
  public var url: URL
  /// The most bytes.
  public var maximumBytes: Int
  /// Seconds for all of it.
  public var timeout: TimeInterval
  /// Whether it may lead to an `http` address.
  public var allowsInsecureHTTP: Bool

  /// A request.
  public init(url: URL, maximumBytes: Int, timeout: TimeInterval, allowsInsecureHTTP: Bool) {
    self.url = url
    self.maximumBytes = maximumBytes
    self.timeout = timeout
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }
}
