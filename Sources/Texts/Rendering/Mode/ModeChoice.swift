import ASCII
import DeviceProfile
import Localization

/// Decides how a device gets its text.
///
/// The mode is `client` only if the device is known to show the same text by itself. The obstacles
/// of ``ModeReason`` are looked for in their order, and the first that is there decides.
///
/// - The caller's wish counts before the message's wish.
/// - If the caller, the message or the device wants `client`, the app need not have declared
///   `loc-key`. All other obstacles still count, so that no text is ever broken.
/// - With `literal_fallback: false` a `client` that the caller or the message wants needs no
///   catalog of the app's build. Its keys are unverified then.
/// - If the app declared `local-notification`, or the device has iOS 7 to 9, the mode is `local`
///   only if caller, message and app all leave the choice open (`auto`).
/// - A message that nobody is to notice (no alert, sound or badge) is never `local`, unless it
///   withdraws another.
public struct ModeChoice: Sendable {
  /// The texts that somebody has to localize.
  let texts: [(part: AlertPart, source: TextSource)]
  private let literalFallback: Bool
  private let arguments: Arguments
  private let device: Device
  private let buildCatalog: CatalogView?
  /// Whether phones of all languages look up the keys: they subscribe to one channel.
  private let isForAllLanguages: Bool
  private let hasTrigger: Bool
  private let isWithdrawal: Bool
  private let isVoIP: Bool
  private let isPerceived: Bool
  /// The wish of the caller, or else of the message.
  let requested: LocalizationRequest
  /// For each text the first obstacle in its entry. It is found when it is first asked for, as most
  /// choices end before that.
  private lazy var entryObstacles = texts.map { entryObstacle($0.source) }

  /// A choice for the texts that the arguments pick.
  init(
    message: Message, texts: [(part: AlertPart, source: TextSource)], arguments: Arguments,
    device: Device, build: CatalogView?, options: RenderOptions
  ) {
    self.texts = texts
    literalFallback = message.literalFallback
    self.arguments = arguments
    self.device = device
    buildCatalog = build
    isForAllLanguages = message.push?.isBroadcast == true && device.languages.isEmpty
    hasTrigger = message.trigger != nil
    isWithdrawal = message.withdraws != nil
    isVoIP = options.isVoIP
    isPerceived = message.isPerceived
    requested = message.request(options)
  }

  /// The mode and its reason; the list of tests only on demand, as it costs more than the choice.
  public mutating func decision(explain: Bool = false) -> ModeDecision {
    var reason: ModeReason?
    for test in ModeReason.tests where isThere(test) {
      reason = test
      break
    }
    var tests: [ModeTest] = []
    if explain {
      for test in ModeReason.tests {
        tests.append(ModeTest(test: test, passed: test != reason, saw: saw(test)))
        if test == reason { break }
      }
    }
    let decisive = reason ?? (buildCatalog == nil ? .unverifiedKeys : .clientPossible)
    return ModeDecision(mode: decisive.mode, reason: decisive, tests: tests)
  }

  private mutating func isThere(_ obstacle: ModeReason) -> Bool {
    switch obstacle {
    case .voipCredential: isVoIP
    case .withdrawal: isWithdrawal
    case .requestedLocal: isPerceived && requested == .local
    case .messageTrigger: hasTrigger
    case .backgroundRefreshOff:
      canBeLocal && device.isBackgroundRefreshOff
        && (device.isBeforeSystem10 || device.declaresLocal)
    case .systemBefore10: canBeLocal && device.isBeforeSystem10
    case .declaredLocal: canBeLocal && device.declaresLocal
    case .noText: texts.isEmpty
    case .requestedServer: requested == .server
    case .devicePrefersServer: device.localization == .server
    case .languageOverridden: device.isLanguageOverridden
    case .noLocKeyCapability:
      requested != .client && device.localization != .client
        && !device.capabilities.contains(Device.locKeyCapability)
    case .osUnknown: device.osVersion == nil
    case .noCatalogForBuild: buildCatalog == nil && (requested != .client || literalFallback)
    case .fallbackLanguage: buildCatalog?.isFallback == true
    default: offender(obstacle) != nil
    }
  }

  /// Whether a local notification may be made although nobody asked for one.
  private var canBeLocal: Bool {
    isPerceived && requested == .auto && device.localization == .auto
  }

  /// The first text with an obstacle.
  private mutating func offender(
    _ obstacle: ModeReason
  ) -> (part: AlertPart, source: TextSource)? {
    switch obstacle {
    case .keyNotInBuild, .uncertainEntry, .pluralEntry, .inlineMarkup, .unsupportedSpecifier,
      .argumentCount:
      entryObstacles.firstIndex(of: obstacle).map { texts[$0] }
    default:
      texts.first { isThere(obstacle, $0.part, $0.source) }
    }
  }

  /// Whether a text has an obstacle. A text that the message brings has one alone, and no key.
  private func isThere(_ obstacle: ModeReason, _ part: AlertPart, _ source: TextSource) -> Bool {
    guard case .key(let keyed) = source else { return obstacle == .literalText }
    switch obstacle {
    case .serverCatalog: return keyed.catalog == .server
    case .osTooOld:
      return (device.osVersion ?? Version(0)) < device.platform.minimumVersion(forKeyOf: part)
    case .tableNotLocalizable: return !keyed.table.isSpelled(like: KeyedText.deviceTable)
    case .argumentNotText:
      return keyed.arguments.contains { arguments.obstacle($0) != nil }
    default: return false
    }
  }

  private func entryObstacle(_ source: TextSource) -> ModeReason? {
    guard let buildCatalog, case .key(let keyed) = source else { return nil }
    let chains = isForAllLanguages ? buildCatalog.chainsOfAllLanguages : [buildCatalog.chain]
    for chain in chains {
      if let obstacle = entryObstacle(keyed, buildCatalog.catalog, chain) { return obstacle }
    }
    return nil
  }

  private func entryObstacle(
    _ keyed: KeyedText, _ catalog: Catalog, _ chain: [String]
  ) -> ModeReason? {
    let result = Lookup(catalog).deviceResult(for: keyed.key, chain: chain)
    if case .uncertain = result { return .uncertainEntry }
    guard case .entry(let entry, _) = result else { return .keyNotInBuild }
    guard case .text(let text) = entry else { return .pluralEntry }
    if text.isEmpty { return .keyNotInBuild }
    if InlineMarkup.isIn(text) { return .inlineMarkup }
    let placeholders = LocArgsFormatter.placeholders(in: text)
    if placeholders.containsOther || placeholders.hasInvalidPosition {
      return .unsupportedSpecifier
    }
    let saysNothing =
      !placeholders.hasWords
      && keyed.arguments.allSatisfy { arguments.plainText($0)?.isEmpty ?? true }
    return saysNothing || placeholders.requiredArguments > keyed.arguments.count
      ? .argumentCount : nil
  }

  private mutating func saw(_ test: ModeReason) -> String {
    switch test {
    case .voipCredential: isVoIP ? "voip" : "apns"
    case .withdrawal: isWithdrawal ? "a withdrawal" : "none"
    case .requestedLocal: isPerceived ? requested.rawValue : "nothing to notice"
    case .messageTrigger: hasTrigger ? "a trigger" : "none"
    case .backgroundRefreshOff where !canBeLocal, .systemBefore10 where !canBeLocal,
      .declaredLocal where !canBeLocal:
      sawAgainstLocal
    case .backgroundRefreshOff: device.backgroundRefresh?.rawValue ?? "unknown"
    case .systemBefore10:
      "\(device.platform.rawValue) \(device.osVersion?.description ?? "unknown")"
    case .noText: texts.map(\.part.rawValue).joined(separator: ", ")
    case .requestedServer: requested.rawValue
    case .devicePrefersServer: device.localization.rawValue
    case .languageOverridden: device.languages.first?.text ?? "unknown"
    case .declaredLocal, .noLocKeyCapability: device.capabilities.sorted().joined(separator: ", ")
    case .osUnknown: device.osVersion?.description ?? "unknown"
    case .noCatalogForBuild: device.appBuild ?? device.appVersion ?? "unknown"
    case .fallbackLanguage: buildCatalog?.chain.first ?? "unknown"
    default: sawTexts(test)
    }
  }

  /// Why no local notification is made, although nobody forbade it.
  private var sawAgainstLocal: String {
    if !isPerceived { return "nothing to notice" }
    if requested != .auto { return "\(requested.rawValue) is asked for" }
    return "the app wants \(device.localization.rawValue)"
  }

  private mutating func sawTexts(_ test: ModeReason) -> String {
    guard let offender = offender(test) else { return "all texts" }
    guard case .key(let keyed) = offender.source else { return offender.part.rawValue }
    let text = "\(offender.part.rawValue): \(keyed.key)"
    guard test == .argumentNotText else { return text }
    let seen = keyed.arguments.compactMap { name in
      arguments.obstacle(name).map { ", `\(name)` is \($0)" }
    }
    return text + (seen.first ?? "")
  }
}

extension Message {
  /// Who shall localize: as the caller says, or else the message.
  func request(_ options: RenderOptions) -> LocalizationRequest {
    options.localization == .auto ? localization : options.localization
  }
}

extension Device {
  /// Whether its app is a watch app with a bundle id of its own: keys are looked up in the strings
  /// of that app, and the catalogs are those of another.
  func isOfOwnWatchApp(_ app: AppFacts) -> Bool {
    guard platform == .watchos, let bundleID else { return false }
    return !bundleID.isSpelled(like: app.bundleID)
  }

  /// Whether its app makes local notifications of silent ones.
  var declaresLocal: Bool { capabilities.contains(Self.localNotificationCapability) }

  /// Whether silent notifications are known not to wake its app.
  var isBackgroundRefreshOff: Bool {
    backgroundRefresh == .denied || backgroundRefresh == .restricted
  }

  /// Whether it has iOS 7 to 9: older ones know no silent notifications.
  var isBeforeSystem10: Bool {
    guard platform == .ios || platform == .ipados, let osVersion else { return false }
    return osVersion >= Self.silentVersions[0] && osVersion < Self.silentVersions[1]
  }

  /// The first versions of iOS with silent notifications, and with local ones that an app can make
  /// of them.
  static let silentVersions = [Version(7), Version(10)]
}

extension Platform {
  /// The newest version up to this one at which the choice of a mode changes; 0 if there is none.
  /// Example for iOS: 10 for 17.4.1, 8.2 for 9.3.
  func landmark(_ version: Version) -> Version {
    let landmarks =
      AlertPart.allCases.map(minimumVersion)
      + (self == .ios || self == .ipados ? Device.silentVersions : [])
    return landmarks.filter { $0 <= version }.max() ?? Version(0)
  }

  /// The first version that knows `title-loc-key`, `subtitle-loc-key` or `loc-key`.
  ///
  /// For iOS as Apple's payload reference dates the keys; elsewhere the first version with the
  /// UserNotifications framework, as no older document tells.
  func minimumVersion(forKeyOf part: AlertPart) -> Version {
    switch (self, part) {
    case (.ios, .body), (.ipados, .body): Version(3)
    case (.ios, .title), (.ipados, .title): Version(8, 2)
    case (.ios, .subtitle), (.ipados, .subtitle): Version(10)
    case (.macos, _): Version(10, 14)
    case (.tvos, _): Version(10)
    case (.watchos, _): Version(3)
    case (.visionos, _): Version(1)
    }
  }
}
