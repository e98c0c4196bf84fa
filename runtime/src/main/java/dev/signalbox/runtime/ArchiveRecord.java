package dev.signalbox.runtime;

import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * What an entry says of archived instances: the file that has them and, by the number of each, the
 * digest of what its tombstone says. It is committed before the texts are taken out of the store.
 */
final class ArchiveRecord {
  /** Instances that one entry tells of. */
  static final int MOST = 200;

  private ArchiveRecord() {}

  /** The digest of what a tombstone says of where its instance's chains ended. */
  static String digest(Tombstone stone) {
    HexFormat hex = HexFormat.of();
    return Statements.digest(
        CanonicalJson.bytes(
            Map.of(
                "head", hex.formatHex(stone.head()),
                "id", stone.id(),
                "number", stone.number(),
                "refusal_head", hex.formatHex(stone.refusalHead()),
                "refusals", stone.refusals(),
                "sequence", stone.sequence())));
  }

  /**
   * The command that writes it down.
   *
   * @param page which of the records of the same file it is
   */
  static Command of(List<Tombstone> stones, String file, int page, Actor actor) {
    Map<String, Object> instances = new TreeMap<>();
    stones.forEach(stone -> instances.put(Long.toString(stone.number()), digest(stone)));
    return new Command.Start(
        OwnMachines.ARCHIVE,
        "%s-%s-%d".formatted(OwnMachines.ARCHIVE, file.substring(0, 32), page),
        Map.of("file", file, "instances", instances),
        actor,
        null);
  }

  /** Tells what an entry claims: for each number the digest; nothing when it is another entry. */
  static void each(Map<?, ?> entry, BiConsumer<String, Map<Long, String>> consumer) {
    if ("start".equals(entry.get("kind"))
        && entry.get("machine") instanceof Map<?, ?> machine
        && OwnMachines.ARCHIVE.equals(machine.get("name"))
        && entry.get("changes") instanceof Map<?, ?> changes
        && changes.get("file") instanceof String file
        && changes.get("instances") instanceof Map<?, ?> instances) {
      Map<Long, String> claims = new TreeMap<>();
      instances.forEach((number, digest) -> {
        if (String.valueOf(number).matches("[0-9]{1,18}")) {
          claims.put(Long.valueOf(String.valueOf(number)), String.valueOf(digest));
        }
      });
      consumer.accept(file, claims);
    }
  }
}
