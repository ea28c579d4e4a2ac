import Foundation

/// A file that was fetched.
public struct FetchedFile: Sendable, Hashable {
  /// Where it is; whoever asked for it moves or removes it.
  public var file: URL
  /// The MIME type of the answer, perhaps with parameters; `nil` if it has none.
  public var mimeType: String?

  /// A file.
  public init(file: URL, mimeType: String?) {
    self.file = file
    self.mimeType = mimeType
  }
}
