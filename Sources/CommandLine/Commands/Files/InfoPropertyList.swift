internal import Foundation

/// What the `Info.plist` of a built app says, as XML or binary.
struct InfoPropertyList: Decodable, Equatable {
  var build: String?
  var developmentLanguage: String?

  private enum CodingKeys: String, CodingKey {
    case build = "CFBundleVersion"
    case developmentLanguage = "CFBundleDevelopmentRegion"
  }

  /// Reads a property list; `nil` when it is none.
  init?(_ bytes: [UInt8]) {
    guard let list = try? PropertyListDecoder().decode(Self.self, from: Data(bytes)) else {
      return nil
    }
    self = list
  }
}
