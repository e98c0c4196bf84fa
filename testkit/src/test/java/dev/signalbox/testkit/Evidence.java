package dev.signalbox.testkit;

import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Journal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What workers noted outside of the store, compared with what the store says: answers that they
 * got, and effects that they did.
 */
final class Evidence {
  private final Path folder;
  private final List<String> nodes;
  private final Map<String, Integer> read = new HashMap<>();
  private final List<Answer> waiting = new ArrayList<>();
  private final Map<String, String> entries = new HashMap<>();
  private final Map<String, Effect> effects = new HashMap<>();
  private final List<String> findings = new ArrayList<>();
  private long group;
  private long answers;

  Evidence(Path folder, List<String> nodes) {
    this.folder = folder;
    this.nodes = nodes;
  }

  /** An answer that a worker got. */
  private record Answer(String command, String entry) {}

  /** An effect that an entry asked for. */
  private static final class Effect {
    final boolean idempotent;
    int ends;
    @Nullable String outcome;
    int done;

    Effect(boolean idempotent) {
      this.idempotent = idempotent;
    }
  }

  /** Compares the notes so far with the journal so far. */
  void compare(Journal journal) throws IOException {
    for (String node : nodes) {
      for (String line : newLines(LoadWorker.answers(folder, node))) {
        String[] words = line.split(" ");
        waiting.add(new Answer(words[2] + " " + words[3], words[4] + " " + words[5]));
        answers++;
      }
    }
    follow(journal);
    Iterator<Answer> each = waiting.iterator();
    while (each.hasNext()) {
      Answer answer = each.next();
      String entry = entries.get(answer.command());
      if (entry != null) {
        each.remove();
        if (!entry.equals(answer.entry())) {
          findings.add("%s was answered, and the journal has %s".formatted(answer, entry));
        }
      }
    }
  }

  private void follow(Journal journal) {
    while (true) {
      List<CommittedGroup> page = journal.groups(group, 200);
      for (CommittedGroup committed : page) {
        committed.entries().forEach(this::entry);
        group = committed.number();
      }
      if (page.size() < 200) {
        return;
      }
    }
  }

  private void entry(EntryRow row) {
    Map<?, ?> body = Auditor.body(row);
    if (row.key() != null) {
      String command = body.get("instance") + " " + row.key();
      String entry = row.sequence() + " " + HexFormat.of().formatHex(row.hash());
      if (entries.put(command, entry) != null) {
        findings.add("%s was carried out twice".formatted(command));
      }
    }
    if (body.get("event") instanceof Map<?, ?> event
        && event.get("send_id") instanceof String key
        && !"late-result".equals(body.get("code"))) {
      Effect effect = effects.get(key);
      if (effect != null) {
        String name = String.valueOf(event.get("name"));
        effect.ends++;
        effect.outcome = name.substring(name.lastIndexOf('.') + 1);
      }
    }
    if (body.get("effects") instanceof List<?> asked) {
      for (Object one : asked) {
        Map<?, ?> effect = (Map<?, ?>) one;
        effects.put(
            String.valueOf(effect.get("key")),
            new Effect(Boolean.TRUE.equals(effect.get("idempotent"))));
      }
    }
  }

  /** Whole lines that came since the file was last read. */
  private List<String> newLines(Path file) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    byte[] bytes = Files.readAllBytes(file);
    int from = read.getOrDefault(file.toString(), 0);
    int end = bytes.length;
    while (end > from && bytes[end - 1] != '\n') {
      end--;
    }
    read.put(file.toString(), end);
    return new String(bytes, from, end - from, StandardCharsets.UTF_8).lines().toList();
  }

  /** Answers that the journal knows nothing of. */
  List<?> missing() {
    return waiting;
  }

  List<String> findings() {
    return findings;
  }

  /** Whether every effect that was asked for has ended. */
  boolean isAtRest() {
    return effects.values().stream().allMatch(e -> e.ends > 0);
  }

  /** Compares the effects, all of which have ended, with the notes of those who did them. */
  void finish() throws IOException {
    for (String node : nodes) {
      for (String line : newLines(LoadWorker.effects(folder, node))) {
        String key = line.substring(0, line.indexOf(' '));
        Effect effect = effects.get(key);
        if (effect == null) {
          findings.add("effect %s was done, and nothing asked for it".formatted(key));
        } else {
          effect.done++;
        }
      }
    }
    effects.forEach(this::finish);
  }

  private void finish(String key, Effect effect) {
    boolean unknown = "unknown".equals(effect.outcome);
    if (effect.ends != 1
        || (effect.done == 0 && !unknown)
        || (effect.idempotent && unknown)
        || (!effect.idempotent && effect.done > 1)) {
      findings.add(
          "effect %s (%s) was done %d times and ended %d times, at last %s"
              .formatted(
                  key,
                  effect.idempotent ? "idempotent" : "not idempotent",
                  effect.done,
                  effect.ends,
                  effect.outcome));
    }
  }

  /** Numbers for whoever reads the test's report. */
  @Override
  public String toString() {
    return "%,d answers and %,d effects, %,d repeated and %,d unknown"
        .formatted(
            answers,
            effects.size(),
            effects.values().stream().filter(e -> e.done > 1).count(),
            effects.values().stream().filter(e -> "unknown".equals(e.outcome)).count());
  }
}
