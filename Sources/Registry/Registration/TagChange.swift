internal import ASCII
package import JSON

/// The body of `POST …/tags`: tags that installations get, and tags that they lose. A report
/// replaces the whole list, and with it what another writer added meanwhile; this leaves the rest
/// of the list as it is.
package struct TagChange: Sendable, Equatable, RequestBody {
  package static var policy: FieldPolicy { .strict }

  /// Tags that are to be there, each once.
  package var added: [String]
  /// Tags that are not to be there; none of them is added.
  package var removed: [String]

  package init(reading fields: FieldReader) {
    added = fields.tags("add")
    removed = fields.tags("remove")
    if !fields.names.contains("add"), !fields.names.contains("remove") {
      fields.refuse(.missingField, pointer: fields.pointer, "add, remove, or both.")
    }
    let adds = Set(added.map(Spelling.init))
    for tag in removed where adds.contains(Spelling(tag)) {
      fields.refuse(.inBothLists, at: "remove", "A tag is added or removed, not both: \(tag).")
    }
  }

  /// What becomes of the tags of an installation.
  package enum NewTags: Sendable, Equatable {
    /// They are so already.
    case same
    /// They become these: those that stay, in their order, and then those that are new.
    case changed([String])
    /// There would be so many, more than an installation may have.
    case tooMany(Int)
  }

  /// Decides for an installation with these tags.
  ///
  /// | tags | add | remove | new tags |
  /// |---|---|---|---|
  /// | `a` `b` | `c` `a` | `b` `x` | `a` `c` |
  /// | `a` `b` | `a` | `x` | the same |
  package func newTags(from tags: [String]) -> NewTags {
    let removed = Set(removed.map(Spelling.init))
    let kept = tags.filter { !removed.contains(Spelling($0)) }
    let known = Set(kept.map(Spelling.init))
    let next = kept + added.filter { !known.contains(Spelling($0)) }
    guard !next.isSpelled(like: tags) else { return .same }
    return next.count > RegistryLimits.tags ? .tooMany(next.count) : .changed(next)
  }
}

extension FieldReader {
  /// A list of tags; empty when there is none, or a fault was noted.
  fileprivate func tags(_ name: String) -> [String] {
    let tags = texts(
      name, maximumCount: RegistryLimits.tags, maximum: RegistryLimits.tagBytes)
    return unclearable(tags, name) ?? []
  }
}
