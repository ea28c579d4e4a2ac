internal import Crypto
import DeviceProfile
package import FoundationEssentials
internal import FoundationInternationalization
package import JSON
internal import Localization
package import Postgres

/// Why a language tag is not taken, `nil` when it is. It is kept as `LanguageTag` reads it.
package func languageFault(_ text: inout String) -> (InputFault, String)? {
  guard let tag = LanguageTag(reading: text) else {
    return (.invalidLanguage, "A language tag such as pt-BR or zh-Hant-HK.")
  }
  text = tag.text
  return nil
}

/// The fields that several bodies share.
extension FieldReader {
  package func language(_ name: String) -> Change<String> {
    text(name, maximum: RegistryLimits.languageTagBytes).compactMap { text in
      var text = text
      guard let (fault, detail) = languageFault(&text) else { return text }
      refuse(fault, at: name, detail)
      return nil
    }
  }

  /// A person's region settings; a text that is no locale is left out.
  package func locale(_ name: String) -> Change<String> {
    text(name, maximum: RegistryLimits.localeBytes, isSecondary: true).compactMap { text in
      if let identifier = FormattingLocale.settings(text) { return identifier }
      leaveOut(.invalidLocale, at: name, "A locale such as pt_BR or en_HK.")
      return nil
    }
  }

  /// A version as the system spells it, or a whole number; a text that cannot be compared is left
  /// out.
  package func version(_ name: String) -> Change<String> {
    text(
      name, maximum: RegistryLimits.versionBytes, isSecondary: true, takesIntegers: true
    ).compactMap { text in
      if Version(text) != nil { return text }
      leaveOut(.unreadableVersion, at: name, "Up to four dotted numbers, such as 3.2.0.")
      return nil
    }
  }

  /// An IANA time zone; a zone that this server's data does not know is left out.
  package func timeZone(_ name: String) -> Change<String> {
    text(name, maximum: RegistryLimits.timeZoneBytes, isSecondary: true).compactMap { text in
      if TimeZone(identifier: text) != nil { return text }
      leaveOut(.unknownTimeZone, at: name, "An IANA time zone such as Asia/Hong_Kong.")
      return nil
    }
  }

  /// A point in time (RFC 3339).
  package func timestamp(_ name: String) -> Change<Timestamp> {
    text(name, maximum: 64).compactMap { text in
      if let time = Timestamp(rfc3339: text) { return time }
      refuse(.invalidTimestamp, at: name, "RFC 3339, such as 2026-05-02T19:32:41Z.")
      return nil
    }
  }

  /// A UUID in any case.
  package func uuid(_ name: String) -> Change<UUID> {
    text(name, maximum: 64).compactMap { text in
      if let id = UUID(text: text) { return id }
      refuse(.invalidUUID, at: name, "A UUID of 36 characters.")
      return nil
    }
  }

  package func installationID(_ name: String) -> Change<InstallationID> {
    uuid(name).compactMap { InstallationID($0) }
  }
}
