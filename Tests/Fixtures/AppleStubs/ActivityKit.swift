// swift-format-ignore-file
// A stub: the signatures of Apple's ActivityKit that this repository uses, for type checks on
// Linux. A compiler there does not check `@available(iOS …)`: AvailabilityTests reads it. Neither
// an activity nor the authorization is Sendable in Apple's SDK.
import Foundation

@available(iOS 16.1, *)
public protocol ActivityAttributes: Decodable, Encodable {
  associatedtype ContentState: Decodable, Encodable, Hashable
}

@available(iOS 16.1, *)
public enum ActivityState: Codable, Hashable {
  case active
  case pending
  case ended
  case dismissed
  case stale
}

@available(iOS 16.2, *)
public struct ActivityContent<State> where State: Decodable, State: Encodable, State: Hashable {
  public init(state: State, staleDate: Date?, relevanceScore: Double = 0) { fatalError() }
}

@available(iOS 16.1, *)
public struct PushType: Sendable {
  public static let token = PushType()
}

@available(iOS 16.1, *)
public class Activity<Attributes>: Identifiable where Attributes: ActivityAttributes {
  public typealias ContentState = Attributes.ContentState
  public static func request(
    attributes: Attributes, content: ActivityContent<Activity<Attributes>.ContentState>,
    pushType: PushType? = nil
  ) throws -> Activity<Attributes> { fatalError() }
  public let id: String
  public final let attributes: Attributes
  public var activityState: ActivityState { fatalError() }
  public var activityStateUpdates: ActivityStateUpdates { fatalError() }
  public var pushToken: Data? { fatalError() }
  public var pushTokenUpdates: PushTokenUpdates { fatalError() }
  public static var activities: [Activity<Attributes>] { fatalError() }
  public static var activityUpdates: ActivityUpdates { fatalError() }
  @available(iOS 17.2, *)
  public static var pushToStartToken: Data? { fatalError() }
  @available(iOS 17.2, *)
  public static var pushToStartTokenUpdates: PushTokenUpdates { fatalError() }

  init(id: String, attributes: Attributes) {
    self.id = id
    self.attributes = attributes
  }

  public struct ActivityUpdates: AsyncSequence {
    public typealias Element = Activity<Attributes>
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async -> Element? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
  }

  public struct PushTokenUpdates: AsyncSequence {
    public typealias Element = Data
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async -> Element? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
  }

  public struct ActivityStateUpdates: AsyncSequence {
    public typealias Element = ActivityState
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async -> Element? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
  }
}

@available(iOS 16.1, *)
public final class ActivityAuthorizationInfo {
  public init() { fatalError() }
  public final var areActivitiesEnabled: Bool { fatalError() }
  @available(iOS 16.2, *)
  public final var frequentPushesEnabled: Bool { fatalError() }
  public final let activityEnablementUpdates: ActivityEnablementUpdates
  public final let frequentPushEnablementUpdates: FrequentPushEnablementUpdates

  public struct ActivityEnablementUpdates: AsyncSequence {
    public typealias Element = Bool
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async -> Element? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
  }

  public struct FrequentPushEnablementUpdates: AsyncSequence {
    public typealias Element = Bool
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async -> Element? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
  }
}
