internal import JSON
internal import Rendering

/// The last line of a streamed answer.
struct RenderSummary: JSONWritable, Sendable {
  /// What it counts: the name of the member that has all of them.
  private let counted: String
  /// Devices that get nothing, by reason.
  var skipped: [SkipReason: Int] = [:]
  private var modes: [String: Int] = [:]
  private var languages: [String: Int] = [:]
  private var problems: [String: Int] = [:]
  /// Recipients, of a list of them, and those of them that could not be read.
  var recipients: (all: Int, failed: Int)?

  /// Nothing yet.
  init(counts counted: String = "devices") { self.counted = counted }

  /// So many devices got a content.
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
