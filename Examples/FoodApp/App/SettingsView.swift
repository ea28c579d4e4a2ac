import PostilionClient
import SwiftUI

/// What the person may choose.
struct SettingsView: View {
  @State private var person = ""
  @State private var language = ""
  @State private var isAllowed = false

  var body: some View {
    Form {
      Section("Notifications") {
        Button("Allow notifications") { askForPermission() }.disabled(isAllowed)
      }
      Section("Account") {
        TextField("Name", text: $person)
        Button("Sign in") { Postilion.shared.setUser(person) }.disabled(person.isEmpty)
        Button("Sign out") { Postilion.shared.signOut() }
      }
      Section("Language") {
        Picker("Language", selection: $language) {
          Text("As in the system").tag("")
          Text("English").tag("en")
          Text("Français").tag("fr")
        }
        .onChange(of: language) { Postilion.shared.setLanguage($0.isEmpty ? nil : $0) }
      }
    }
  }

  private func askForPermission() {
    Task { isAllowed = await Postilion.shared.requestAuthorization() }
  }
}
