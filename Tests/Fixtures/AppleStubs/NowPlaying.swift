// swift-format-ignore-file
// A stub: the signatures of Apple's NowPlaying that this repository uses, for type checks on Linux.
import Foundation

public protocol RemoteMediaSessionAttributes: Decodable, Encodable {
  var id: String { get }
}

@MainActor
public class RemoteMediaSession<Attributes> where Attributes: RemoteMediaSessionAttributes {
  init() { fatalError() }
  public static var pushToStartToken: Data? { fatalError() }
  public static var pushToStartTokenUpdates: AsyncStream<Data> { fatalError() }
}
