import PostilionClient
import Testing

@Suite struct NotificationCategoryTests {
  private static let strings = NotificationStrings {
    [
      "VIEW": "Voir", "ANSWER": "Répondre à %@", "SEND": "Envoyer", "HINT": "Message",
      "COUNT": "%u commandes", "HIDDEN": "Commande",
    ][$0]
  }

  @Test(
    arguments: [
      ("View", "View"), (.text("VIEW"), "VIEW"), (.text("100 %@"), "100 %@"),
      (.key("VIEW"), "Voir"), (.key("ANSWER", arguments: ["Zoé"]), "Répondre à Zoé"),
      (.key("MISSING"), "MISSING"), (.key(""), ""),
    ] as [(NotificationText, String)])
  func textsAreThoseOfTheApp(text: NotificationText, expected: String) {
    #expect(text.string(Self.strings) == expected)
  }

  @Test func allTextsOfACategoryAreLocalized() {
    let category = NotificationCategory(
      "order",
      buttons: [
        .init("view", title: .key("VIEW"), systemImage: "eye", options: .foreground),
        .init(
          "answer", title: .key("ANSWER", arguments: ["Zoé"]),
          options: [.authenticationRequired, .destructive],
          reply: .init(button: .key("SEND"), placeholder: .key("HINT"))),
      ],
      hiddenPreview: .key("HIDDEN"), summary: .key("COUNT"), options: .customDismissAction)
    let localized = NotificationCategory(
      "order",
      buttons: [
        .init("view", title: "Voir", systemImage: "eye", options: .foreground),
        .init(
          "answer", title: "Répondre à Zoé", options: [.authenticationRequired, .destructive],
          reply: .init(button: "Envoyer", placeholder: "Message")),
      ],
      // The system fills its own placeholders.
      hiddenPreview: "Commande", summary: "%u commandes", options: .customDismissAction)
    #expect(category.localized(Self.strings) == localized)
    #expect(localized.localized(Self.strings) == localized)
  }

  /// Apple's numbers (UNNotificationCategoryOptions, UNNotificationActionOptions).
  @Test func optionsHaveApplesNumbers() {
    let options: [NotificationCategory.Options] = [
      .customDismissAction, .allowInCarPlay, .hiddenPreviewsShowTitle, .hiddenPreviewsShowSubtitle,
    ]
    #expect(options.map(\.rawValue) == [1, 2, 4, 8])
    let buttons: [NotificationCategory.Button.Options] = [
      .authenticationRequired, .destructive, .foreground,
    ]
    #expect(buttons.map(\.rawValue) == [1, 2, 4])
  }
}
