import DeviceProfile
import Postgres

@testable import Registry

/// Few installations of an app, and who holds which token.
struct RegistryState: Hashable {
  /// What is stored, by place. Who owns a token follows from it: the installation that has it. Its
  /// revisions count from one.
  var installations: [Installation?]
  /// What tells each of them from those of its name before and after it.
  var lives: [Life?]
  /// What the answers told of lives that are over, by place.
  var pastLives: [Set<LifeTag>]
  /// How each token changed hands so far.
  var takeovers: [TokenKey: KnownTakeovers] = [:]
  /// Feedback whose second part is over.
  var restored: Set<Int> = []

  /// From its creation to its deletion.
  struct Life: Hashable {
    /// The number of the call that made it.
    var maker: Int
    /// What its tags have in common, once one was told.
    var tag: LifeTag?
  }

  /// What is known of a token besides its owner, as ``Takeovers``.
  struct KnownTakeovers: Hashable {
    var count: Int16 = 0
    /// Those that it was taken from and that may come back for it, the first owner first.
    var formerOwners: [Former] = []
  }

  /// An installation that a token was taken from.
  struct Former: Hashable {
    var place: Int
    /// The calls that made it, and that took the token from it.
    var maker, taker: Int
  }

  /// No installation.
  init(count: Int) {
    installations = Array(repeating: nil, count: count)
    lives = Array(repeating: nil, count: count)
    pastLives = Array(repeating: [], count: count)
  }

  /// Mixes what most states differ in; all of it is compared.
  func hash(into hasher: inout Hasher) {
    for installation in installations {
      hasher.combine(installation?.revision)
      hasher.combine(installation?.reportedAt)
      hasher.combine(installation?.appVersion)
      hasher.combine(installation?.credentials[.apns]?.token)
      hasher.combine(installation?.credentials[.apns]?.status)
    }
    hasher.combine(lives)
  }

  /// Stores an installation that a call made.
  mutating func create(_ installation: Installation, at place: Int, by maker: Int) {
    installations[place] = installation
    lives[place] = Life(maker: maker)
  }

  /// Ends the life of an installation.
  mutating func delete(at place: Int) {
    installations[place] = nil
    if let tag = lives[place]?.tag { pastLives[place].insert(tag) }
    lives[place] = nil
  }

  /// The state once a tag was told of the present state of an installation; `nil` when the tag is
  /// one of another life or of another revision.
  func telling(_ text: String?, at place: Int) -> RegistryState? {
    guard let installation = installations[place], let life = lives[place],
      let tag = text.flatMap({ LifeTag($0, at: installation.revision) })
    else { return nil }
    if let known = life.tag { return known == tag ? self : nil }
    guard !pastLives[place].contains(tag) else { return nil }
    var next = self
    next.lives[place]?.tag = tag
    return next
  }

  /// Whether a tag is the present one of an installation. One that was never told is none that a
  /// client can mean.
  func isTagged(_ text: String, at place: Int) -> Bool {
    guard let installation = installations[place], let tag = lives[place]?.tag else { return false }
    return tag == LifeTag(text, at: installation.revision)
  }
}

/// What the tags of one life of an installation have in common: no other life has it, and each
/// change counts one further.
///
/// `"hoeqkty7vs-2gosa7pa2gy-lls"` is told of revision 3 as the model counts it: the life began at
/// `hoeqkty7vs`, and its revisions are those of the model and `2gosa7pa2gv`.
struct LifeTag: Hashable, CustomStringConvertible {
  var createdAt: String
  var revisionsBefore: Int64

  init(createdAt: String, revisionsBefore: Int64) {
    self.createdAt = createdAt
    self.revisionsBefore = revisionsBefore
  }

  /// - Parameters:
  ///   - text: An entity tag of an installation; `nil` when it has not their form.
  ///   - revision: The revision that it was told of, counted from one.
  init?(_ text: String, at revision: Int64) {
    let parts = text.filter { $0 != "\"" }.split(separator: "-")
    guard parts.count > 1, let told = Int64(parts[1], radix: 36) else { return nil }
    self.init(createdAt: String(parts[0]), revisionsBefore: told - revision)
  }

  var description: String { "\(createdAt)-\(String(revisionsBefore, radix: 36))+" }

  /// The tag of one of its revisions, in a registry where nobody is seen twice.
  func text(at revision: Int64) -> String {
    "\"\(createdAt)-\(String(revisionsBefore + revision, radix: 36))-0\""
  }
}
