package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Hindsight;
import dev.signalbox.kernel.Microstep;
import dev.signalbox.kernel.Step;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an instance has been through, shown to the monitors it gets in another machine: its own
 * entries, and before them those of the instance it was forked from. States are named as the new
 * machine does, through every migration on the way. Page by page, twice: first for the migrations.
 */
final class LivedPast {
  private static final int PAGE = 500;

  private final Journal journal;
  private final Machines machines;

  /** What each migration renamed, the one that is asked for last. */
  private final List<Map<String, String>> renamings = new ArrayList<>();

  LivedPast(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /** The past, or a part of it, can't be read any more. */
  static final class Gone extends Exception {
    Gone(String message) {
      super(message);
    }
  }

  /** A row's entries up to one of them. */
  private record Part(InstanceRow row, @Nullable Seal seal, long until) {}

  /** What happens with one entry. */
  private interface Reader {
    void read(Map<?, ?> entry) throws Gone;
  }

  /** Shows everything that is committed of the instance. */
  void show(InstanceRow row, Map<String, String> states, Hindsight hindsight) throws Gone {
    Deque<Part> parts = parts(row);
    for (Part part : parts) {
      each(part, "\"kind\":\"migrate\"", entry -> renamings.add(renamed(entry)));
    }
    renamings.add(states);
    int[] era = {0};
    for (Part part : parts) {
      each(
          part,
          "",
          entry -> {
            String timer = "timer".equals(entry.get("kind")) ? (String) entry.get("cause") : null;
            if (!hindsight.show(timer, microsteps(entry, era[0]), records(entry))) {
              throw new Gone("too much happened to it to tell apart");
            }
            if ("migrate".equals(entry.get("kind"))) {
              era[0]++;
            }
          });
    }
  }

  private Deque<Part> parts(InstanceRow row) throws Gone {
    Deque<Part> parts = new ArrayDeque<>();
    InstanceRow at = row;
    long until = row.sequence();
    while (true) {
      if (Seal.isErased(at.snapshot())) {
        throw new Gone("the personal data of '%s' was erased".formatted(at.id()));
      }
      Part part = new Part(at, machines.seals.ofDoubtful(at), until);
      parts.addFirst(part);
      Map<?, ?> fork = fork(part);
      if (fork == null) {
        return parts;
      }
      until = (Long) Objects.requireNonNull(fork.get("sequence"));
      at = forkedFrom(fork, until);
    }
  }

  private @Nullable Map<?, ?> fork(Part part) throws Gone {
    List<EntryRow> first = journal.history(part.row().number(), Chain.STEPS, 1, 1);
    Map<?, ?> entry = first.isEmpty() ? Map.of() : opened(part, first.getFirst());
    return "fork".equals(entry.get("kind")) ? data(entry) : null;
  }

  private InstanceRow forkedFrom(Map<?, ?> fork, long until) throws Gone {
    String id = (String) Objects.requireNonNull(fork.get("instance"));
    InstanceRow row = journal.load(id);
    List<EntryRow> last =
        row == null ? List.of() : journal.history(row.number(), Chain.STEPS, until, 1);
    if (row == null
        || last.isEmpty()
        || !HexFormat.of().formatHex(last.getFirst().hash()).equals(fork.get("hash"))) {
      throw new Gone("'%s', which it was forked from, is not there any more".formatted(id));
    }
    return row;
  }

  private void each(Part part, String mark, Reader reader) throws Gone {
    long next = 1;
    while (next <= part.until()) {
      int most = (int) Math.min(PAGE, part.until() - next + 1);
      List<EntryRow> page = journal.history(part.row().number(), Chain.STEPS, next, most);
      if (page.isEmpty()) {
        throw new Gone("the journal has lost entry %d of '%s'".formatted(next, part.row().id()));
      }
      for (EntryRow entry : page) {
        if (mark.isEmpty() || new String(entry.body(), StandardCharsets.UTF_8).contains(mark)) {
          Map<?, ?> body = opened(part, entry);
          if (mark.isEmpty() || "migrate".equals(body.get("kind"))) {
            reader.read(body);
          }
        }
        next = entry.sequence() + 1;
      }
    }
  }

  private static Map<?, ?> opened(Part part, EntryRow entry) throws Gone {
    try {
      Seal seal = part.seal();
      return ClearPart.read(seal == null ? entry.body() : seal.opened(entry.body()));
    } catch (IllegalStateException e) {
      throw new Gone("entry %d of '%s' can't be read".formatted(entry.sequence(), part.row().id()));
    }
  }

  private static Map<?, ?> data(Map<?, ?> entry) {
    Map<?, ?> event = (Map<?, ?>) Objects.requireNonNull(entry.get("event"));
    return (Map<?, ?>) Objects.requireNonNull(event.get("data"));
  }

  private static Map<String, String> renamed(Map<?, ?> entry) {
    return Migrations.states(data(entry));
  }

  private List<Microstep> microsteps(Map<?, ?> entry, int era) {
    List<Microstep> microsteps = new ArrayList<>();
    for (Object item : list(entry.get("microsteps"))) {
      Map<?, ?> microstep = (Map<?, ?>) item;
      microsteps.add(
          new Microstep(
              (String) microstep.get("event"),
              List.of(),
              states(microstep.get("exited"), era),
              states(microstep.get("entered"), era)));
    }
    return microsteps;
  }

  private List<String> states(@Nullable Object names, int era) {
    List<String> states = new ArrayList<>();
    for (Object name : list(names)) {
      String state = (String) name;
      for (Map<String, String> renaming : renamings.subList(era, renamings.size())) {
        state = renaming.getOrDefault(state, state);
      }
      states.add(state);
    }
    return states;
  }

  private static List<Step.Emitted> records(Map<?, ?> entry) {
    List<Step.Emitted> records = new ArrayList<>();
    for (Object item : list(entry.get("records"))) {
      Map<?, ?> record = (Map<?, ?>) item;
      records.add(
          new Step.Emitted(
              (String) Objects.requireNonNull(record.get("kind")), record.get("data")));
    }
    return records;
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
