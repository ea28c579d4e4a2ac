internal import CatalogFormats
internal import Foundation
internal import HTTPClient
internal import Zip

/// String files as the body of an upload: a form, or one archive in a form, when they are more than
/// the service takes otherwise.
struct UploadBody {
  let bytes: [UInt8]
  private let boundary: String

  /// The body with its media type.
  var content: API.Content {
    API.Content(type: "multipart/form-data; boundary=\(boundary)", body: .bytes(bytes))
  }

  /// - Parameters:
  ///   - files: What is uploaded.
  ///   - read: The same, with the files of archives in place of these: an archive holds no other.
  /// - Throws: ``Exit`` when it is too much for the service all the same.
  init(_ files: [SourceFile], read: [SourceFile]) throws(Exit) {
    boundary = "postilion-\(UUID().uuidString)"
    var bytes = MultipartBody.bytes(files, boundary: boundary)
    if files.count > UploadLimits.parts || bytes.count > UploadLimits.bodyBytes {
      let archive = ZipArchive.archive(read.map { ($0.path, $0.bytes) })
      bytes = MultipartBody.bytes(
        [SourceFile(path: "strings.zip", bytes: archive)], boundary: boundary)
    }
    guard bytes.count <= UploadLimits.bodyBytes else {
      throw Exit(
        ExitCode.data,
        "The string files have \(bytes.count) bytes as one archive, and the service takes at most "
          + "\(UploadLimits.bodyBytes): leave some out by --exclude.")
    }
    self.bytes = bytes
  }
}
