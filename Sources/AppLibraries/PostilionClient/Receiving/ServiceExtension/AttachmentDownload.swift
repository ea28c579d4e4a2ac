import Foundation

/// Fetches the pictures, sounds and films that a payload names, so that a notification can show
/// them.
///
/// ```swift
/// let download = AttachmentDownload()
/// let attachments = await download.fetched(download.attachments(in: payload))
/// ```
public struct AttachmentDownload: Sendable {
  /// The member of the payload that lists attachments, as ``NotificationAttachment`` reads it.
  ///
  /// Releases before 1.0 read one address under `image`. That is still read where a payload has
  /// nothing under `attachments`, unless the app says another name here.
  public var attachmentsKey = NotificationAttachment.defaultKey
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
  public struct Failure: Error, Sendable, Hashable {
    /// What is wrong. A later release may know more of it.
    public struct Kind: RawRepresentable, Sendable, Hashable {
      /// The address is none of `https`, or names a person or a password.
      public static let addressNotAllowed = Self(rawValue: "addressNotAllowed")
      /// The answer has a status that is no success.
      public static let status = Self(rawValue: "status")
      /// There are more bytes than allowed, or none at all.
      public static let size = Self(rawValue: "size")
      /// It is no kind of file that a notification shows.
      public static let type = Self(rawValue: "type")
      /// It took too long.
      public static let timeout = Self(rawValue: "timeout")

      /// Its word.
      public let rawValue: String

      /// The kind of a word.
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What is wrong.
    public var kind: Kind
    /// The status of the answer, if it is that.
    public var status: Int?
    /// The MIME type of the answer, if it is that.
    public var mimeType: String?

    /// A failure.
    public init(_ kind: Kind, status: Int? = nil, mimeType: String? = nil) {
      self.kind = kind
      self.status = status
      self.mimeType = mimeType
    }
  }

  /// The attachments that a payload lists: names of files in the bundle, and addresses that are
  /// allowed.
  public func attachments(in payload: RemotePayload) -> [NotificationAttachment] {
    listed(in: payload).map {
      NotificationAttachment.attachments(in: $0, insecure: allowsInsecureHTTP)
    } ?? []
  }

  /// The first address that a payload lists; `nil` if it lists none that is allowed.
  public func url(in payload: RemotePayload) -> URL? {
    for attachment in attachments(in: payload) {
      if case .remote(let url) = attachment.source { return url }
    }
    return nil
  }

  /// Fetches the first that a payload lists.
  ///
  /// - Returns: a file with the extension of its kind, which the caller removes; `nil` if the
  ///   payload has no text under ``attachmentsKey``.
  /// - Throws: ``Failure``, or the error of the connection.
  public func file(for payload: RemotePayload) async throws -> URL? {
    let value = listed(in: payload)
    guard let text = value?.string ?? value?.array?.first?.string else { return nil }
    guard let url = URL(string: text) else { throw Failure(.addressNotAllowed) }
    return try await file(at: url)
  }

  /// Fetches an address.
  ///
  /// - Returns: a file with the extension of its kind, which the caller removes.
  /// - Throws: ``Failure``, or the error of the connection.
  public func file(at url: URL) async throws -> URL {
    guard Self.isAllowed(url, insecure: allowsInsecureHTTP) else {
      throw Failure(.addressNotAllowed)
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

  /// What a payload has under ``attachmentsKey``, or under the name that it had before.
  private func listed(in payload: RemotePayload) -> PayloadValue? {
    let earlier = attachmentsKey == NotificationAttachment.defaultKey ? "image" : attachmentsKey
    return payload.data[attachmentsKey] ?? payload.data[earlier]
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
    guard bytes > 0, bytes <= maximumBytes else { throw Failure(.size) }
    guard let type = AttachmentType(mimeType: fetched.mimeType, path: url.path) else {
      throw Failure(.type, mimeType: fetched.mimeType)
    }
    try files.createDirectory(at: directory, withIntermediateDirectories: true)
    // The extension stands in no path of a stranger's: it is one of a list.
    let name = UUID().uuidString + "." + type.fileExtension
    let place = directory.appendingPathComponent(name)
    try files.moveItem(at: fetched.file, to: place)
    return place
  }
}
