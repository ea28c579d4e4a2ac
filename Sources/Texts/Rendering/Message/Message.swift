public import APNs
public import ASCII
public import Localization

/// A notification to be sent to many devices: what it says, and how it is delivered.
///
/// It is made from the JSON of the HTTP contract ("Messages") by ``init(json:at:)``, which also
/// checks that every parameter it names is declared.
public struct Message: Sendable, Hashable {
  /// What is shown; nil for a notification without text.
  public var alert: MessageAlert?
  /// The values that it is given when sent, by name.
  public var parameters: [String: Parameter] = [:]
  public var sound: MessageSound?
  /// The badge; 0 removes it.
  public var badge: Badge?
  /// The members of `aps` that it has itself and that are no templates, such as `relevance-score`.
  public var aps = APS()
  /// The members of `aps` that are templates, such as `thread-id`.
  public var apsTexts: [APSKey: Template] = [:]
  /// A newer notification with the same value replaces an older.
  public var collapseID: Template?
  /// A newer notification with the same id replaces an older one: a whole number or a text. In a
  /// local notification and in a call it is a member of the payload, and the collapse id takes its
  /// place if there is none. In other modes it is the collapse id, unless the message has one.
  public var id: DataTemplate?
  /// The ``id`` of a notification that the app is to remove, pending or delivered; if that
  /// notification has none, its collapse id.
  public var withdraws: DataTemplate?
  /// The type by which the app routes it; nil stands for the name under which the message is
  /// stored.
  public var type: Template?
  /// When the app shows it; nil is at once. Only a local notification can wait.
  public var trigger: Trigger?
  /// Which call rings, for VoIP.
  public var callID: Template?
  /// How long it is worth delivering, seconds; 0 is one attempt, nil leaves it to APNs.
  public var ttlSeconds: Int?
  /// The priority asked for: 10, 5 or 1; nil is the best that Apple allows for its kind.
  public var priority: Int?
  /// Its kind; nil is `alert` when it shows, plays or counts something, else `background`.
  public var pushType: PushType?
  /// The push that the system or an extension takes instead of a notification; nil for a
  /// notification.
  public var push: SystemPush? {
    get { pushReference?.push }
    set { pushReference = newValue.map(SystemPushReference.init) }
  }
  private var pushReference: SystemPushReference?
  /// The app's own members beside `aps`.
  public var data: [Spelling: DataTemplate] = [:]
  /// Whether a device that localizes by itself also gets the server's text, for the case that it
  /// does not find the key. Without it a payload holds keys and arguments only.
  public var literalFallback = true
  /// Who shall localize it, unless the caller of a rendering says otherwise.
  public var localization = LocalizationRequest.auto
  /// What is done with texts that are too long for a payload.
  public var truncation = Truncation.truncate
  /// The language for devices if the catalog has none of theirs; nil is the development language.
  public var fallbackLanguage: LanguageTag?
  /// Whether arguments in the other direction than their text are enclosed in U+2068 and U+2069, so
  /// that neither reorders the other. Example: an English name in a Hebrew text.
  public var isolatesArguments = false

  public init() {}

  /// The push type that APNs is told.
  public var effectivePushType: PushType {
    push?.pushType ?? pushType ?? (isPerceived ? .alert : .background)
  }

  /// Whether devices may get something else a second later.
  public var dependsOnTime: Bool {
    let isRelative = parameters.values.contains {
      if case .relativeDate = $0.type { true } else { false }
    }
    return (ttlSeconds ?? 0) > 0 || push?.isTimed == true || trigger != nil || callID != nil
      || isRelative
  }

  /// Whether only VoIP tokens can get it.
  public var isForVoIPOnly: Bool { pushType == .voip }

  /// Whether its id, or the id that it withdraws, has parameters in it.
  public var hasFilledID: Bool { id?.isConstant == false || withdraws?.isConstant == false }

  /// Whether there is something that only the app can do: show it later, or remove another.
  var needsApp: Bool { trigger != nil || withdraws != nil }

  /// Whether it is a notification that shows, plays or counts something.
  var isPerceived: Bool { push == nil && (alert != nil || sound != nil || badge != nil) }

  /// The texts that somebody has to localize, each with its place.
  var placedTexts: [(pointer: String, text: MessageText)] {
    let place = push.map { "/\($0.member)/alert" } ?? "/alert"
    let alert = (alert?.texts ?? []).map { part, text in
      (self.alert?.usesStringForm == true ? place : "\(place)/\(part.rawValue)", text)
    }
    return alert + (push?.texts ?? [])
  }

  /// The languages of its own wordings, also of those in a state.
  public var languages: [String] { placedTexts.flatMap(\.text.languages) }

  /// Whether its sound breaks through the mute switch where the person allows that.
  var hasCriticalSound: Bool {
    guard let sound else { return false }
    return sound.isCritical || aps.interruptionLevel == .critical
  }
}

/// What becomes of a message whose payload would have more bytes than APNs takes.
public enum Truncation: String, Sendable, Hashable, CaseIterable {
  /// Its texts are cut until it fits.
  case truncate
  /// It is not sent.
  case reject
}

/// The texts of a message.
public struct MessageAlert: Sendable, Hashable {
  public var title: MessageText?
  /// The second line.
  public var subtitle: MessageText?
  /// The text proper.
  public var body: MessageText?
  /// File name of the image that is shown while the app starts.
  public var launchImage: Template?
  /// Key of the old action button's label, passed on as `action-loc-key`.
  public var actionKey: Template?
  /// Whether `alert` is written as a string, which a body alone can be.
  public var usesStringForm = false

  public init() {}

  /// Its texts with their parts.
  var texts: [(part: AlertPart, text: MessageText)] {
    var texts: [(part: AlertPart, text: MessageText)] = []
    if let title { texts.append((.title, title)) }
    if let subtitle { texts.append((.subtitle, subtitle)) }
    if let body { texts.append((.body, body)) }
    return texts
  }

  /// The texts that the arguments pick.
  func sources(_ arguments: Arguments) -> [(part: AlertPart, source: TextSource)] {
    texts.compactMap { part, text in text.source(arguments).map { (part, $0) } }
  }

  /// The languages of its own wordings.
  var languages: [String] { texts.flatMap(\.text.languages) }
}

/// The three texts of an alert.
public enum AlertPart: String, Sendable, Hashable, CaseIterable {
  case title
  /// The second line.
  case subtitle
  /// The text proper.
  case body
}
