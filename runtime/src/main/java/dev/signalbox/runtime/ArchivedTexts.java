package dev.signalbox.runtime;

import dev.signalbox.journal.Tombstone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether the texts that tombstones say are in archives are there. An entry's hash stays in its
 * signed group, so a file whose chains end with the tombstone's heads has the true texts, whoever
 * signed it. Where the file is not there, only a record in the journal says that the instance was
 * archived and not wiped.
 */
final class ArchivedTexts {
  /** The most missing files that are listed. */
  private static final int MOST = 1_000;

  private final Scratch scratch;
  private final Demands demands;
  private final Findings findings;
  private final List<String> missing = new ArrayList<>();
  private long archived;

  ArchivedTexts(Scratch scratch, Demands demands, Findings findings) {
    this.scratch = scratch;
    this.demands = demands;
    this.findings = findings;
  }

  /** An entry that says which instances were archived into which file. */
  void recorded(Map<?, ?> entry) {
    ArchiveRecord.each(
        entry,
        (file, claims) ->
            claims.forEach((number, digest) -> {
              int _ = scratch.update("insert into claim values (?, ?, ?)", number, digest, file);
            }));
  }

  /** Judges the tombstones; after all entries. */
  void conclude() throws IOException {
    List<String> files = new ArrayList<>();
    scratch.each(
        "select distinct file from tombstone order by file", row -> row.getString(1), files::add);
    if (files.isEmpty()) {
      return;
    }
    Map<String, Path> there = there(files);
    for (String file : files) {
      Path path = there.get(file);
      Contents contents = path == null ? null : contents(path);
      if (path == null) {
        if (missing.size() < MOST) {
          missing.add(file);
        }
        if (demands.allArchives()) {
          findings.add(
              "archive-missing",
              "archive " + file,
              "tombstones name it, and no file in %s has that SHA-256"
                  .formatted(
                      demands.archives() == null ? "the folder of archives" : demands.archives()));
        }
      }
      List<Tombstone> stones = new ArrayList<>();
      long after = 0;
      do {
        stones.clear();
        scratch.each(
            "select "
                + Scratch.TOMBSTONE
                + " from tombstone where file = ? and number > ? order by number limit 500",
            Scratch::tombstone,
            stones::add,
            file,
            after);
        for (Tombstone stone : stones) {
          archived++;
          judge(stone, contents);
          after = stone.number();
        }
      } while (!stones.isEmpty());
    }
  }

  private void judge(Tombstone stone, @Nullable Contents contents) {
    String where = "tombstone of " + stone.id();
    String digest = ArchiveRecord.digest(stone);
    boolean proved = contents != null && contents.has(stone);
    if (contents != null && !proved) {
      findings.add(
          "archive-differs", where, "the file that it names does not have the instance's entries");
    }
    boolean recorded = false;
    boolean otherwise = false;
    for (String[] claim : claims(stone.number())) {
      boolean same = claim[0].equals(digest) && claim[1].equals(stone.file());
      recorded |= same;
      otherwise |= !same;
    }
    if (!recorded && otherwise) {
      findings.add(
          "tombstone-differs", where, "the journal's record of the archive says something else");
    } else if (!recorded && !proved && demands.allArchives()) {
      findings.add(
          "tombstone-unproved",
          where,
          "no entry says that the instance was archived, and its file is not there: its texts may"
              + " have been wiped");
    }
  }

  private List<String[]> claims(long number) {
    List<String[]> claims = new ArrayList<>();
    scratch.each(
        "select digest, file from claim where number = ?",
        row -> new String[] {row.getString(1), row.getString(2)},
        claims::add,
        number);
    return claims;
  }

  /** The wanted files that are in the folder, by their SHA-256. */
  private Map<String, Path> there(List<String> wanted) throws IOException {
    Path folder = demands.archives();
    Map<String, Path> there = new HashMap<>();
    if (folder == null || !Files.isDirectory(folder)) {
      return there;
    }
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      String digest = Archive.digest(file);
      if (wanted.contains(digest)) {
        there.put(digest, file);
      }
    }
    return there;
  }

  /** Where the chains of an archive's instances end, by id. */
  private record Contents(Map<String, String> ends) {
    boolean has(Tombstone stone) {
      return end(stone.sequence(), stone.head(), stone.refusals(), stone.refusalHead())
          .equals(ends.get(stone.id()));
    }

    static String end(long sequence, byte[] head, long refusals, byte[] refusalHead) {
      HexFormat hex = HexFormat.of();
      return "%d %s %d %s"
          .formatted(sequence, hex.formatHex(head), refusals, hex.formatHex(refusalHead));
    }
  }

  private Contents contents(Path file) throws IOException {
    Map<String, String> ends = new HashMap<>();
    Verification verification =
        ExportReader.archive(
            file,
            (id, sequence, head, refusals, refusalHead) ->
                ends.put(id, Contents.end(sequence, head, refusals, refusalHead)));
    verification
        .findings()
        .forEach(f -> findings.add(f.code(), file.getFileName() + ": " + f.where(), f.message()));
    return new Contents(ends);
  }

  long archived() {
    return archived;
  }

  List<String> missing() {
    return List.copyOf(missing);
  }
}
