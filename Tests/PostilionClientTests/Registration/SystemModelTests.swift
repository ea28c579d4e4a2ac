import Foundation
import Testing

@testable import PostilionClient

@Suite struct SystemModelTests {
  /// A system with this value, which ends with a zero byte.
  private static func system(_ value: [UInt8]?, status: Int32 = 0) -> SystemModel.Read {
    { name, place, length, _, _ in
      guard let value, let name, String(cString: name) == "hw.model" else { return -1 }
      length?.pointee = value.count
      guard let place else { return 0 }
      place.copyMemory(from: value, byteCount: value.count)
      return status
    }
  }

  @Test(
    arguments: [
      (Array("MacBookPro18,1".utf8) + [0], 0, "MacBookPro18,1"),
      (Array("Mac15,3".utf8), 0, "Mac15,3"),
      ([0], 0, nil), ([0, 0], 0, nil), ([], 0, nil), (nil, 0, nil),
      (Array("Mac15,3".utf8), -1, nil),
    ] as [([UInt8]?, Int32, String?)])
  func aMacHasItsModel(_ value: [UInt8]?, _ status: Int32, _ model: String?) {
    #expect(SystemModel.model(Self.system(value, status: status)) == model)
  }
}
