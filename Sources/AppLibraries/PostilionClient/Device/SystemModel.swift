import Foundation

/// The model of a Mac. `uname` knows its processor alone, which is `arm64` for all of them.
enum SystemModel {
  /// A function as `sysctlbyname`: it writes the value of a name, or with no place to write its
  /// length in bytes; 0 is success.
  typealias Read = (
    UnsafePointer<CChar>?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?,
    UnsafeMutableRawPointer?, Int
  ) -> Int32

  /// The text `hw.model`, such as `MacBookPro18,1`; `nil` when the system does not tell.
  static func model(_ read: Read) -> String? {
    var length = 0
    guard read("hw.model", nil, &length, nil, 0) == 0, length > 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    guard read("hw.model", &bytes, &length, nil, 0) == 0 else { return nil }
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// That of this Mac; `nil` on other systems, whose `uname` has the model.
  static var current: String? {
    #if os(macOS) || targetEnvironment(macCatalyst)
      model(sysctlbyname)
    #else
      nil
    #endif
  }
}
