internal import CatalogFormats

/// Files as `multipart/form-data` (RFC 7578), each with its path as the file name.
enum MultipartBody {
  /// The body.
  /// - Parameter boundary: A text that no file holds.
  static func bytes(_ files: [SourceFile], boundary: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(files.reduce(0) { $0 + $1.bytes.count + $1.path.utf8.count + 200 })
    for file in files {
      let name = file.path.replacing("\"", with: "%22")
      bytes += "--\(boundary)\r\n".utf8
      bytes += "Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n".utf8
      bytes += file.bytes
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    return bytes
  }
}
