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
  typealias Memory = RenderMemory<RawColumns>

  private let renderer: Renderer
  let app: AppRecord
  private let includesDenied: Bool
  let context: LoopContext
  private let metrics: RenderMetrics
  private var memory = Memory()
  private var catalogs = PinnedCatalogs()
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

  /// The attributes of devices that the message needs.
  var attributes: [String] { renderer.attributes }

  /// What a device gets.
  func outcome(of addressee: Addressee) async throws -> Memory.Outcome {
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
    return .content(memory.number(of: content))
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
    let versions: CatalogVersions
    if let pinned = catalogs.versions {
      versions = pinned
    } else {
      versions = try await context.content.catalogVersions(of: app.id)
      catalogs.versions = versions
    }
    let version = versions.nearest(build: device.appBuild, version: device.appVersion)
    var view = context.content.view(try await catalog(version), for: device)
    view?.nearestVersion = version
    return view
  }

  private func catalog(_ version: String?) async throws -> LoadedCatalog? {
    guard let version else { return nil }
    if let pinned = catalogs[version] { return pinned }
    let catalog = try await context.content.catalog(version, of: app.id)
    catalogs.pin(catalog, version)
    return catalog
  }

  private func tellMissingCatalog(of device: Device) {
    let build = device.appBuild ?? device.appVersion ?? ""
    guard context.content.isNews(missing: build, of: app.id) else { return }
    metrics.catalogMissing(app.slug, build: build)
  }

  /// The content of a number.
  func content(_ number: Int) -> RenderedContent { memory.content(number) }

  /// Takes a device of an audience into the account.
  func count(_ outcome: Memory.Outcome) { memory.count(outcome) }

  /// Counts installations that the audience lists and that are not there, once all others are.
  func countMissing(listed: Int) {
    settle()
    memory.count(.skipped(.installationNotFound), devices: max(0, listed - summary.devices))
  }

  /// Writes a portion of an audience as lines.
  func write(
    _ rows: [AudienceRow], with writer: inout any DeliveryWriter, to lines: inout LineBuffer
  ) async throws {
    var turnBegan = Monotonic.now()
    for row in rows {
      let outcome: Memory.Outcome
      if let known = memory.outcome(of: row.traits) {
        outcome = known
      } else {
        if memory.isFull {
          // Contents have their numbers in the writer too, which gives away what it has of them.
          writer.finish(to: &lines)
          settle()
        }
        outcome = try await self.outcome(of: Addressee(try row.traits.read(DeviceTraits.init)))
        memory.remember(outcome, of: row.traits, bytes: row.traits.byteCount)
        if Monotonic.now() - turnBegan >= Limits.renderTurnNanoseconds {
          // Others of this loop have their turn.
          await context.loop.sleep(nanoseconds: 0)
          turnBegan = Monotonic.now()
        }
      }
      memory.count(outcome)
      if case .content(let number) = outcome, let delivery = Delivery(row) {
        writer.add(delivery, number, memory.content(number), to: &lines)
      }
    }
  }

  /// Tells what was delivered and what was not, and forgets it: at the end, and when it is too
  /// much to remember.
  func settle() {
    let account = memory.settle()
    for (content, devices) in account.delivered {
      summary.add(content, devices: devices)
      metrics.rendered(content, devices: devices)
    }
    for (reason, devices) in account.skipped {
      summary.skipped[reason, default: 0] += devices
      metrics.skipped(reason, devices: devices)
    }
  }
}

/// The catalogs that a rendering has used: all its devices get their texts from the same ones,
/// whatever is replaced meanwhile.
private struct PinnedCatalogs {
  /// By version; nil where there is none.
  private var catalogs: [String: LoadedCatalog?] = [:]
  /// The bytes of their files.
  private var bytes = 0
  /// Among which the nearest is looked for; nil until a device needs one.
  var versions: CatalogVersions?

  /// The catalog of a version, or that there is none; nil when it is not known.
  subscript(version: String) -> LoadedCatalog?? { catalogs[version] }

  /// Keeps a catalog, or that there is none, within the bounds.
  mutating func pin(_ catalog: LoadedCatalog?, _ version: String) {
    guard catalogs.count < ContentLimits.rememberedCatalogs, bytes < Limits.pinnedCatalogBytes
    else { return }
    catalogs[version] = .some(catalog)
    bytes += catalog?.fileBytes ?? 0
  }
}

/// The last line of a streamed answer.
struct RenderSummary: Sendable {
  /// Devices that get nothing, by reason.
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

  /// Devices that get something.
  private var rendered: Int { modes.values.reduce(0, +) }
  /// Devices of the audience.
  var devices: Int { skipped.values.reduce(rendered, +) }

  /// `{"devices": …, "rendered": …, "skipped": {…}, "modes": {…}, …}`
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("devices")
      writer.integer(Int64(devices))
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
