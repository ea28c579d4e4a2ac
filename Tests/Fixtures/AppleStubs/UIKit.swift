// swift-format-ignore-file
// A stub: the signatures of Apple's UIKit that this repository uses, for type checks on Linux.
// On a watch UIKit has colours and fonts, but no application.
@_exported import Foundation

#if !os(watchOS)
  public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData, noData, failed
  }

  public enum UIBackgroundRefreshStatus: Int, Sendable {
    case restricted, denied, available
  }

  @MainActor
  open class UIResponder: NSObject {
    public override init() {}
  }

  @MainActor
  open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
      public var rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    // Without `shared`: extensions of apps must not use it, and so must not the library, which they
    // link.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus { fatalError() }
    open func registerForRemoteNotifications() {}
  }

  extension UIApplication {
    public enum State: Int, Sendable {
      case active, inactive, background
    }

    public var applicationState: State { fatalError() }
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
      fatalError()
    }
    nonisolated public class var backgroundRefreshStatusDidChangeNotification: NSNotification.Name {
      fatalError()
    }
  }

  /// All its methods are optional on Apple's systems; here not, so that the library cannot miss one
  /// by a slip of its signature.
  @MainActor
  public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
      _ application: UIApplication,
      didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
      _ application: UIApplication,
      didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    func application(
      _ application: UIApplication,
      didFailToRegisterForRemoteNotificationsWithError error: any Error)
    func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
  }

  extension UIApplicationDelegate {
    // What `@main` calls.
    public static func main() { fatalError() }
  }

  // MARK: Scenes and screens

  @MainActor
  open class UIScene: UIResponder {
    @MainActor
    open class ConnectionOptions: NSObject {}
  }

  @MainActor
  open class UISceneSession: NSObject {}

  @MainActor
  open class UIWindowScene: UIScene {}

  /// All its methods are optional on Apple's systems.
  @MainActor
  public protocol UISceneDelegate: NSObjectProtocol {
    func scene(
      _ scene: UIScene, willConnectTo session: UISceneSession,
      options connectionOptions: UIScene.ConnectionOptions)
  }

  @MainActor
  public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }
  }

  @MainActor
  open class UIView: UIResponder {}

  @MainActor
  open class UIWindow: UIView {
    public init(windowScene: UIWindowScene) {}
    open var rootViewController: UIViewController?
    open func makeKeyAndVisible() {}
  }

  @MainActor
  open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
    public required init?(coder: NSCoder) {}
    public convenience override init() { self.init(nibName: nil, bundle: nil) }
    open func viewDidAppear(_ animated: Bool) {}
  }

  @MainActor
  open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
    open var topViewController: UIViewController? { fatalError() }
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {}
  }
#endif
