import Foundation

/// Fetches the picture, sound or film that a payload names, so that a notification can show it.
///
/// ```swift
/// let file = try await AttachmentDownload().file(for: payload)
/// ```
public struct AttachmentDownload: Sendable {
  /// The member of the payload with the address.
  public var key = "image"
  /// The most bytes: 10 MB, as Apple takes them of an image, unless set; sound has 5 MB there and
  /// film 50 MB.
  public var maximumBytes = ReceivingLimits.attachmentBytes
  /// Seconds for the whole download: 20 unless set, as a service extension has about 30 in all.
  public var timeout: TimeInterval = ReceivingLimits.downloadSeconds
  /// Whether `http` addresses are fetched, too. The app's `Info.plist` has to allow it as well.
  public var allowsInsecureHTTP = false
  /// Where files are put; the system moves a file away when it becomes an attachment.
  public var directory: URL
  /// Fetches an address.
  public var fetch: Fetch

  /// Fetches an address into a file, within bounds.
  public typealias Fetch = @Sendable (AttachmentRequest) async throws -> FetchedFile

  /// A download.
  ///
  /// - Parameters:
  ///   - directory: where files are put.
  ///   - fetch: fetches an address; by `URLSession` if `nil`.
  public init(
    directory: URL = FileManager.default.temporaryDirectory, fetch: Fetch? = nil
  ) {
    self.directory = directory
    self.fetch = fetch ?? { try await AttachmentTransfer.fetch($0) }
  }

  /// Why there is no file.
  public enum Failure: Error, Sendable, Hashable {
    /// The address is none of `https`, or names a person or a password.
    case addressNotAllowed
    /// The answer has this status, which is no success.
    case status(Int)
    /// There are more bytes than allowed, or none at all.
    case size
    /// It is no kind of file that a notification shows; the MIME type of the answer.
    case type(String?)
    /// It took too long.
    case timeout
  }

  /// The address that a payload names; `nil` if it names none, or one that is not allowed.
  public func url(in payload: RemotePayload) -> URL? {
    guard let text = payload.data[key]?.string, let url = URL(string: text) else { return nil }
    return Self.isAllowed(url, insecure: allowsInsecureHTTP) ? url : nil
  }

  /// Fetches what a payload names.
  ///
  /// - Returns: a file with the extension of its kind, which the caller removes; `nil` if the
  ///   payload has no text under ``key``.
  /// - Throws: ``Failure``, or the error of the connection.
  public func file(for payload: RemotePayload) async throws -> URL? {
    guard let text = payload.data[key]?.string else { return nil }
    guard let url = URL(string: text) else { throw Failure.addressNotAllowed }
    return try await file(at: url)
  }

  /// Fetches an address.
  ///
  /// - Returns: a file with the extension of its kind, which the caller removes.
  /// - Throws: ``Failure``, or the error of the connection.
  public func file(at url: URL) async throws -> URL {
    guard Self.isAllowed(url, insecure: allowsInsecureHTTP) else {
      throw Failure.addressNotAllowed
    }
    let request = AttachmentRequest(
      url: url, maximumBytes: maximumBytes, timeout: timeout,
      allowsInsecureHTTP: allowsInsecureHTTP)
    let fetched = try await fetch(request)
    do {
      return try placed(fetched, from: url)
    } catch {
      try? FileManager.default.removeItem(at: fetched.file)
      throw error
    }
  }

  /// Whether an address may be fetched: `https`, or `http` if that is allowed, with a host, and
  /// without a name or password.
  static func isAllowed(_ url: URL, insecure: Bool) -> Bool {
    let scheme = url.scheme?.lowercased()
    guard scheme == "https" || insecure && scheme == "http" else { return false }
    guard let host = url.host, !host.isEmpty else { return false }
    return url.user == nil && url.password == nil
  }

  /// Moves a fetched file to a name of its own with the extension of its kind.
  private func placed(_ fetched: FetchedFile, from url: URL) throws -> URL {
    let files = FileManager.default
    let attributes = try files.attributesOfItem(atPath: fetched.file.path)
    let bytes = (attributes[.size] as? NSNumber)?.intValue ?? 0
    guard bytes > 0, bytes <= maximumBytes else { throw Failure.size }
    guard let type = AttachmentType(mimeType: fetched.mimeType, path: url.path) else {
      throw Failure.type(fetched.mimeType)
    }
    try files.createDirectory(at: directory, withIntermediateDirectories: true)
    // The extension stands in no path of a stranger's: it is one of a list.
    let name = UUID().uuidString + "." + type.fileExtension
    let place = directory.appendingPathComponent(name)
    try files.moveItem(at: fetched.file, to: place)
    return place
  }
}
