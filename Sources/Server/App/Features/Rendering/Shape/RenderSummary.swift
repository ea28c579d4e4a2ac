internal import JSON
internal import Rendering

/// The last line of a streamed answer.
struct RenderSummary: JSONWritable, Sendable {
  /// The name of the member with the total, such as `devices` or `channels`.
  private let counted: String
  /// Devices that get nothing, by reason.
  var skipped: [SkipReason: Int] = [:]
  private var modes: [String: Int] = [:]
  private var languages: [String: Int] = [:]
  private var problems: [String: Int] = [:]
  /// The number of recipients in a list, and the number of them that could not be read or whose
  /// devices could not be found.
  var recipients: (all: Int, failed: Int)?

  init(counts counted: String = "devices") { self.counted = counted }

  /// Counts devices that got a content.
  mutating func add(_ content: RenderedContent, devices: Int) {
    modes[content.mode.rawValue, default: 0] += devices
    if let language = content.language { languages[language, default: 0] += devices }
    for code in Set(content.problems.map(\.code)) { problems[code, default: 0] += devices }
  }

  /// Devices that get something.
  private var rendered: Int { modes.values.reduce(0, +) }
  /// Devices of the audience.
  var devices: Int { skipped.values.reduce(rendered, +) }

  /// `{"devices": …, "rendered": …, "skipped": {…}, "modes": {…}, …}`
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let recipients {
        writer.member("recipients", recipients.all)
        writer.member("failed", recipients.failed)
      }
      writer.member(counted, devices)
      writer.key("rendered")
      writer.integer(Int64(rendered))
      let skipped = skipped.map { ($0.key.rawValue, $0.value) }
      for (name, counts) in [
        ("skipped", Dictionary(skipped) { $1 }), ("modes", modes), ("languages", languages),
        ("problems", problems),
      ] {
        writer.key(name)
        writer.object { writer in
          for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
            writer.key(key)
            writer.integer(Int64(count))
          }
        }
      }
    }
  }
}
