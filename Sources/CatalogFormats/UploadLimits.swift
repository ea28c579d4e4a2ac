/// What an upload of string files may have, for those who send one and for those who take it.
public enum UploadLimits {
  /// Bytes of a body: the string files of a large app (100 languages of 300 KB). More are sent as
  /// one archive.
  public static let bodyBytes = 32 << 20

  /// Parts of a body: an app of 60 languages with 30 string tables each. More are sent as one
  /// archive.
  public static let parts = 2_000

  /// Bytes of one file. The largest string table seen is 0.5 MB; catalogs of all languages in
  /// one file stay below 10 MB.
  public static let fileBytes = 16 << 20

  /// Bytes of all files, those of archives unpacked; what a server can hold in memory a few times
  /// over.
  public static let bytes = 64 << 20
}
