internal import ASCII
package import JSON

/// The body of `POST …/tags`, and `tag_changes` of a report: tags that installations get, and tags
/// that they lose. A list in a report replaces all tags, and with them the tags that another writer
/// added meanwhile; this change leaves the other tags as they are.
package struct TagChange: Sendable, Equatable, RequestBody {
  package static var policy: FieldPolicy { .strict }

  /// Tags that are to be there, each once.
  package var added: [String]
  /// Tags that are not to be there; none of them is added.
  package var removed: [String]

  package init(reading fields: FieldReader) { self.init(reading: fields, isSecondary: false) }

  /// - Parameter isSecondary: Whether a fault is left out, and refuses nothing.
  fileprivate init(reading fields: FieldReader, isSecondary: Bool) {
    added = fields.tags("add", isSecondary)
    removed = fields.tags("remove", isSecondary)
    if isSecondary {
      let removes = Set(removed.map(Spelling.init))
      added.removeAll { removes.contains(Spelling($0)) }
      return
    }
    if !fields.names.containsSpelling("add"), !fields.names.containsSpelling("remove") {
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
    /// They become these: the tags that stay, in their order, and then the new tags.
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
  fileprivate func tags(_ name: String, _ isSecondary: Bool) -> [String] {
    let tags = texts(
      name, maximumCount: RegistryLimits.tags, maximum: RegistryLimits.tagBytes,
      isSecondary: isSecondary)
    return (isSecondary ? tags.value : unclearable(tags, name)) ?? []
  }

  /// What a report adds and removes.
  func tagChange(_ name: String) -> TagChange? {
    object(name, isSecondary: true) { TagChange(reading: $0, isSecondary: true) }.value
  }
}
