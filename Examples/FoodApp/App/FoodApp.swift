import SwiftUI

/// An app that orders food.
@main
struct FoodApp: App {
  @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

  var body: some Scene {
    WindowGroup { SettingsView() }
  }
}
