import Foundation

/// A kind of file that a notification shows (Apple, "UNNotificationAttachment").
///
/// The system tells the kind by the extension of the file's name.
struct AttachmentType: Sendable, Hashable {
  /// The extension, in small letters, without a dot.
  let fileExtension: String

  private static let extensionsByType = [
    "image/jpeg": "jpg", "image/jpg": "jpg", "image/png": "png", "image/gif": "gif",
    "image/heic": "heic", "image/webp": "webp",
    "audio/aiff": "aiff", "audio/x-aiff": "aiff", "audio/wav": "wav", "audio/x-wav": "wav",
    "audio/wave": "wav", "audio/vnd.wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3",
    "audio/mp4": "m4a", "audio/x-m4a": "m4a", "audio/m4a": "m4a",
    "video/mpeg": "mpeg", "video/mp4": "mp4", "video/quicktime": "mov",
    "video/avi": "avi", "video/x-msvideo": "avi", "video/msvideo": "avi",
  ]

  private static let extensions = Set(extensionsByType.values).union(["jpeg", "aif", "mpg"])

  /// What an answer says of its kind. Where it says nothing (no type, or
  /// `application/octet-stream`, as many file servers have it), the extension of the address
  /// counts.
  ///
  /// - Parameters:
  ///   - mimeType: the type, whose parameters do not count.
  ///   - path: the path of the address.
  /// - Returns: `nil` if it is another kind, such as the page of an error.
  init?(mimeType: String?, path: String) {
    let type = mimeType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    switch type {
    case nil, "", "application/octet-stream", "binary/octet-stream":
      let name = path.split(separator: "/").last ?? ""
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count > 1, let last = parts.last?.lowercased(), Self.extensions.contains(last)
      else { return nil }
      fileExtension = last
    case let type?:
      guard let known = Self.extensionsByType[type] else { return nil }
      fileExtension = known
    }
  }
}
