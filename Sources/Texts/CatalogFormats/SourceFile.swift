/// A file of an import: its path as in the Xcode project, and its bytes.
public struct SourceFile: Sendable, Hashable {
  /// The relative path with `/`: `App/fr.lproj/Localizable.strings`.
  public let path: String
  /// The bytes, in whatever encoding the file has.
  public let bytes: [UInt8]

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}
