internal import DeviceProfile
internal import JSON

/// What becomes of a field of another service.
struct ForeignUse: Sendable {
  /// The pointers of what it becomes in a native record; none when it has no home.
  let homes: [String]
  /// Takes what a record has of the field, even if that is nothing.
  let take: Taking

  typealias Taking =
    @Sendable (ForeignValue, inout ForeignDraft) throws(InputFailure) -> Void

  init(_ homes: [String] = [], take: @escaping Taking) {
    self.homes = homes
    self.take = take
  }

  /// Nothing.
  static let ignored = ForeignUse { _, _ in }

  /// A text, unless a field before has given it.
  static func text(
    _ place: any WritableKeyPath<ForeignDraft, String?> & Sendable, _ home: String,
    _ read: @escaping @Sendable (String) -> String? = { $0 }
  ) -> ForeignUse {
    ForeignUse([home]) { value, draft in
      if draft[keyPath: place] == nil { draft[keyPath: place] = value.text.flatMap(read) }
    }
  }

  /// A native member that is a plain text: `time_zone`.
  static func text(
    _ name: String, _ read: @escaping @Sendable (String) -> String? = { $0 }
  ) -> ForeignUse {
    text(\.texts[name], "/\(name)", read)
  }

  static let id = text(\.vendorID, "/installation_id")
  static let user = text(\.userID, "/user/id")
  static let bundleID = text(\.bundleID, "/bundle_id")

  static func token(_ kinds: [String] = ["apns"]) -> ForeignUse {
    ForeignUse(kinds.map { "/credentials/\($0)/token" }) { $1.token = $0.text }
  }

  /// The status and the reason of a token if the field has this word.
  static func status(
    _ word: String, _ status: String, _ reason: String, of kinds: [String] = ["apns"]
  ) -> ForeignUse {
    ForeignUse(kinds.map { "/credentials/\($0)/status" }) { value, draft in
      if value.text == word { (draft.status, draft.reason) = (status, reason) }
    }
  }

  /// The permission, by the words of the field.
  static func permission(
    _ words: [String: String] = ["true": "authorized", "false": "denied"]
  ) -> ForeignUse {
    text(\.authorization, "/authorization/status") { words[$0] }
  }

  /// The name of a system. The record is refused if it is none of Apple's.
  static func platform(isRequired: Bool = false) -> ForeignUse {
    ForeignUse(["/platform"]) { value, draft throws(InputFailure) in
      guard let text = value.text ?? (isRequired ? "" : nil) else { return }
      guard let platform = Platform(foreign: text) else {
        throw value.refusal("Only devices with a system of Apple's have tokens.")
      }
      draft.platform = platform
    }
  }

  /// A device's model, from which the system is guessed if no field before has named it.
  static let model = ForeignUse(["/device_model"]) { value, draft in
    draft.texts["device_model"] = value.text
    draft.platform = draft.platform ?? value.text.flatMap(Platform.init(model:))
  }

  /// A time, unless a field before has given it; one that cannot be read is left out.
  static func date(_ name: String) -> ForeignUse {
    ForeignUse(["/\(name)"]) { value, draft in
      guard draft.texts[name] == nil, !value.texts.isEmpty else { return }
      draft.texts[name] = value.texts.lazy.compactMap { ForeignTime($0)?.rfc3339 }.first
      if draft.texts[name] == nil {
        draft.ignored.append(
          InputFault.invalidTimestamp.problem(at: value.pointer, "A time that cannot be read."))
      }
    }
  }

  static let languages = ForeignUse(["/languages"]) { value, draft in
    draft.languages += value.texts.map { $0.replacing("_", with: "-") }
  }

  /// A locale or language tag: the first language and, with a region, the locale.
  static let locale = ForeignUse(["/languages", "/locale"]) { $1.locale($0.text) }

  static let tags = ForeignUse(["/tags"]) { $1.tags += $0.texts }

  /// Attributes, called by this text with what `*` stands for behind it.
  static func attributes(_ prefix: String = "") -> ForeignUse {
    ForeignUse(["/attributes"]) { value, draft in
      for (name, value) in value.members { draft.attributes[prefix + name] = value }
    }
  }

  /// The other service's name of the app.
  /// - Parameter group: Which records could be of one app.
  static func vendorApp(
    _ group: @escaping @Sendable (ForeignDraft) -> String = { _ in "" }
  ) -> ForeignUse {
    ForeignUse { value, draft in
      draft.vendorApp = value.text.map {
        .init(name: $0, group: group(draft), pointer: value.pointer)
      }
    }
  }
}
