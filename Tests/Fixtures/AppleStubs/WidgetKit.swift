// swift-format-ignore-file
// A stub: the signatures of Apple's WidgetKit that this repository uses, for type checks on Linux.
import Foundation

public enum WidgetFamily: Int {
  case systemSmall
  case systemMedium
  case systemLarge
}

@preconcurrency public struct WidgetInfo {
  public let kind: String
  public let family: WidgetFamily
}

@available(iOS 26, macOS 26, watchOS 26, visionOS 26, *)
public struct WidgetPushInfo: Sendable {
  public let token: Data
}

public class WidgetCenter {
  nonisolated(unsafe) public static let shared: WidgetCenter = { fatalError() }()
  @available(iOS 26, macOS 26, watchOS 26, visionOS 26, *)
  public var currentPushInfo: WidgetPushInfo? { get async { fatalError() } }
  public func currentConfigurations() async throws -> [WidgetInfo] { fatalError() }
}

#if !os(visionOS)
  @available(iOS 18, macOS 26, watchOS 26, *)
  public struct ControlPushInfo {
    public let token: Data
  }

  @available(iOS 18, macOS 26, watchOS 26, *)
  public struct ControlInfo {
    public var id: String { fatalError() }
    public let kind: String
    public var pushInfo: ControlPushInfo?
  }

  @available(iOS 18, macOS 26, watchOS 26, *)
  public class ControlCenter {
    nonisolated(unsafe) public static let shared: ControlCenter = { fatalError() }()
    public func currentControls() async throws -> [ControlInfo] { fatalError() }
  }
#endif
