import Foundation

extension Postilion {
  /// Reports languages, locale and time zone when they change while the app runs.
  nonisolated func observeChanges() {
    for change in [
      NSLocale.currentLocaleDidChangeNotification, Notification.Name.NSSystemTimeZoneDidChange,
    ] {
      observe(change) { [weak self] in self?.update() }
    }
  }

  /// Calls back on the main thread whenever a notification of the process is posted, as long as the
  /// process runs.
  package nonisolated func observe(
    _ name: Notification.Name, _ react: @escaping @MainActor @Sendable () -> Void
  ) {
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
      Task { @MainActor in react() }
    }
  }
}
