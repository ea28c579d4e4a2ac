// swift-format-ignore-file
// A stub: the signatures of Apple's NowPlaying that this repository uses, for type checks on Linux.
import Foundation

@available(iOS 27, *)
public protocol RemoteMediaSessionAttributes: Decodable, Encodable {
  var id: String { get }
}

@available(iOS 27, *)
@MainActor
public class RemoteMediaSession<Attributes> where Attributes: RemoteMediaSessionAttributes {
  init() { fatalError() }
  @available(iOS 27, *)
  public static var pushToStartToken: Data? { fatalError() }
  @available(iOS 27, *)
  public static var pushToStartTokenUpdates: AsyncStream<Data> { fatalError() }
}
