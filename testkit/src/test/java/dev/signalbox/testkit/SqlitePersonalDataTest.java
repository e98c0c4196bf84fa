package dev.signalbox.testkit;

import java.nio.file.Path;

/** Personal data in a SQLite file, its write-ahead log and its file of keys. */
final class SqlitePersonalDataTest extends PersonalDataContract {
  @Override
  String url() {
    return "jdbc:sqlite:" + files().resolve("box.db");
  }

  @Override
  Path files() {
    return folder.resolve("store");
  }

  @Override
  void flush() {
    // Every commit is in the file or its log.
  }

  @Override
  void assertKeyGone(byte[] wrapped) throws Exception {
    assertNoFileHas(wrapped);
  }
}
