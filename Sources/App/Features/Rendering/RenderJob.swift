internal import Content
internal import DeviceProfile
internal import EventLoop
internal import JSON
internal import Localization
internal import Postgres
internal import Registry
internal import Rendering

/// One `POST …/render` on its way: who gets what, each distinct content made once.
final class RenderJob: @unchecked Sendable {
  /// What devices of the same traits get.
  enum Outcome {
    /// The content of this number.
    case content(Int)
    case skipped(SkipReason)
  }

  private struct Entry {
    let content: RenderedContent
    var devices = 0
  }

  private let renderer: Renderer
  let app: AppRecord
  private let includesDenied: Bool
  let context: LoopContext
  private let metrics: RenderMetrics
  private var outcomes: [RawColumns: Outcome] = [:]
  private var entries: [Entry] = []
  private var numbers: [RenderedContent: Int] = [:]
  /// The bytes that ``outcomes`` is found by.
  private var traitBytes = 0
  /// Those of ``entries``, about.
  private var contentBytes = 0
  /// The catalogs that were used, by version; nil where there is none. All devices get their texts
  /// from the same ones, whatever is replaced meanwhile.
  private var catalogs: [String: LoadedCatalog?] = [:]
  /// Among which the nearest is looked for; nil until a device needs one.
  private var versions: CatalogVersions?
  /// The bytes of the files of ``catalogs``.
  private var catalogBytes = 0
  /// Those that get nothing, as far as not settled.
  private var skipped: [SkipReason: Int] = [:]
  /// What APNs would refuse in the content that was made last, when it would.
  private(set) var refusalDetail: String?
  private(set) var summary = RenderSummary()

  init(
    _ renderer: Renderer, app: AppRecord, includesDenied: Bool, context: LoopContext,
    metrics: RenderMetrics
  ) {
    self.renderer = renderer
    self.app = app
    self.includesDenied = includesDenied
    self.context = context
    self.metrics = metrics
  }

  /// What of a device matters to the message.
  var aspects: DeviceAspects { renderer.aspects }

  /// What a device gets.
  func outcome(of addressee: Addressee) async throws -> Outcome {
    let device: Device
    switch addressee {
    case .unreachable(let reason): return .skipped(reason)
    case .device(let reached): device = reached
    }
    if !includesDenied, renderer.isDenied(by: device.permissions) { return .skipped(.denied) }
    let content = renderer.content(for: device, catalogs: try await catalogs(for: device))
    if content.problems.contains(where: { $0.code == RenderProblem.nearestCatalogUsed }) {
      tellMissingCatalog(of: device)
    }
    if let refusal = content.refusal {
      refusalDetail = refusal.detail
      return .skipped(SkipReason(rawValue: refusal.code) ?? .payloadTooLarge)
    }
    let number = numbers[content] ?? entries.count
    if number == entries.count {
      numbers[content] = number
      entries.append(Entry(content: content))
      contentBytes += content.problems.reduce(content.payload.count) { $0 + $1.detail.utf8.count }
    }
    return .content(number)
  }

  /// The catalogs that a device's texts may come from: that of its own app build, named by build
  /// or else by version, or of the nearest build; and the server's.
  private func catalogs(for device: Device) async throws -> DeviceCatalogs {
    var own: LoadedCatalog?
    for version in [device.appBuild, device.appVersion] where own == nil {
      own = try await catalog(version)
    }
    let server = try await catalog(CatalogKey.serverVersion)
    return DeviceCatalogs(
      app: context.content.view(own, for: device),
      nearest: own == nil ? try await nearest(for: device) : nil,
      server: context.content.view(server, for: device))
  }

  /// The catalog of the nearest build.
  private func nearest(for device: Device) async throws -> CatalogView? {
    let known: CatalogVersions
    if let versions {
      known = versions
    } else {
      known = try await context.content.catalogVersions(of: app.id)
      versions = known
    }
    let version = known.nearest(build: device.appBuild, version: device.appVersion)
    var view = context.content.view(try await catalog(version), for: device)
    view?.nearestVersion = version
    return view
  }

  private func tellMissingCatalog(of device: Device) {
    let build = device.appBuild ?? device.appVersion ?? ""
    guard context.content.isNews(missing: build, of: app.id) else { return }
    metrics.catalogMissing(app.slug, build: build)
  }

  private func catalog(_ version: String?) async throws -> LoadedCatalog? {
    guard let version else { return nil }
    if let known = catalogs[version] { return known }
    let catalog = try await context.content.catalog(version, of: app.id)
    if catalogs.count < ContentLimits.rememberedCatalogs, catalogBytes < Limits.pinnedCatalogBytes {
      catalogs[version] = .some(catalog)
      catalogBytes += catalog?.fileBytes ?? 0
    }
    return catalog
  }

  /// The content of a number.
  func content(_ number: Int) -> RenderedContent { entries[number].content }

  /// Takes a device of an audience into the account.
  func count(_ outcome: Outcome) {
    summary.devices += 1
    switch outcome {
    case .skipped(let reason): skipped[reason, default: 0] += 1
    case .content(let number): entries[number].devices += 1
    }
  }

  /// Installations that the audience lists and that are not there.
  func countMissing(listed: Int) {
    guard listed > summary.devices else { return }
    skipped[.installationNotFound] = listed - summary.devices
    summary.devices = listed
  }

  /// Writes a portion of an audience as lines.
  func write(
    _ rows: [AudienceRow], with writer: inout any DeliveryWriter, to lines: inout LineBuffer
  ) async throws {
    var turnBegan = Monotonic.now()
    for row in rows {
      let outcome: Outcome
      if let known = outcomes[row.traits] {
        outcome = known
      } else {
        makeRoom(with: &writer, to: &lines)
        outcome = try await self.outcome(of: Addressee(try row.traits.read(DeviceTraits.init)))
        outcomes[row.traits] = outcome
        traitBytes += row.traits.byteCount
        if Monotonic.now() - turnBegan >= Limits.renderTurnNanoseconds {
          // Others of this loop have their turn.
          await context.loop.sleep(nanoseconds: 0)
          turnBegan = Monotonic.now()
        }
      }
      write(row, outcome, with: &writer, to: &lines)
    }
  }

  /// Forgets what is too much to remember. Traits are found out again; contents have their numbers
  /// in the writer too, which gives away what it has of them.
  private func makeRoom(with writer: inout any DeliveryWriter, to lines: inout LineBuffer) {
    if traitBytes >= Limits.rememberedTraitBytes {
      outcomes = [:]
      traitBytes = 0
    }
    if entries.count >= Limits.rememberedContents || contentBytes >= Limits.rememberedContentBytes {
      writer.finish(to: &lines)
      settle()
    }
  }

  private func write(
    _ row: AudienceRow, _ outcome: Outcome, with writer: inout any DeliveryWriter,
    to lines: inout LineBuffer
  ) {
    count(outcome)
    guard case .content(let number) = outcome, let delivery = Delivery(row) else { return }
    writer.add(delivery, number, entries[number].content, to: &lines)
  }

  /// Counts what was delivered and what was not, and forgets it: at the end, and when it is too
  /// much to remember.
  func settle() {
    for entry in entries where entry.devices > 0 {
      summary.add(entry.content, devices: entry.devices)
      metrics.rendered(entry.content, devices: entry.devices)
    }
    for (reason, devices) in skipped {
      summary.skipped[reason, default: 0] += devices
      metrics.skipped(reason, devices: devices)
    }
    outcomes = [:]
    traitBytes = 0
    skipped = [:]
    entries = []
    contentBytes = 0
    numbers = [:]
  }
}

/// The last line of a streamed answer.
struct RenderSummary: Sendable {
  /// Devices of the audience.
  var devices = 0
  /// Those that get nothing, by reason.
  var skipped: [SkipReason: Int] = [:]
  private var modes: [String: Int] = [:]
  private var languages: [String: Int] = [:]
  private var problems: [String: Int] = [:]

  /// So many devices got a content.
  mutating func add(_ content: RenderedContent, devices: Int) {
    modes[content.mode.rawValue, default: 0] += devices
    if let language = content.language { languages[language, default: 0] += devices }
    for code in Set(content.problems.map(\.code)) { problems[code, default: 0] += devices }
  }

  /// `{"devices": …, "rendered": …, "skipped": {…}, "modes": {…}, …}`
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("devices")
      writer.integer(Int64(devices))
      writer.key("rendered")
      writer.integer(Int64(modes.values.reduce(0, +)))
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
