package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.runtime.Signalbox;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code signalbox watch}: what happens, as it happens. Through the server that is up it is the
 * event stream; without one the store is read again and again, and not locked, so that others can
 * work on it. When the server stops, it goes on where it was.
 */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    description = {
      "Print every entry and refusal as it is committed, until interrupted.",
      "Several values of an option, or one with commas, mean any of them."
    })
@SuppressWarnings("NullAway.Init")
final class WatchCommand implements Callable<Integer> {
  private static final long PAUSE = 200_000_000;
  private static final int PAGE = 500;

  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Option(names = "--machine", split = ",", paramLabel = "NAME", description = "Of that machine")
  private List<String> machines = List.of();

  @Option(names = "--instance", split = ",", paramLabel = "ID", description = "Of that instance")
  private List<String> instances = List.of();

  @Option(
      names = "--state",
      split = ",",
      paramLabel = "STATE",
      description = "What leaves that state active")
  private List<String> states = List.of();

  @Option(
      names = "--kind",
      split = ",",
      paramLabel = "KIND",
      description = "start, event, timer, refusal …")
  private List<String> kinds = List.of();

  @Option(
      names = "--after",
      paramLabel = "POSITION",
      description = "What is above it first; 0 for everything (default: what comes next)")
  private @Nullable Long after;

  @Option(
      names = "--most",
      paramLabel = "N",
      converter = Count.class,
      description = "End after so many")
  private @Nullable Integer most;

  @Option(names = "--json", description = "A line of JSON for each, as the event stream has it")
  private boolean json;

  /** Where it is; null before anything is known. */
  private @Nullable Long position;

  private long told;

  @Override
  public Integer call() {
    if (after != null && after < 0) {
      throw new ParameterException(
          spec.commandLine(), "Expected a position from 0 after --after, but found " + after + ".");
    }
    position = after;
    boolean wanted = true;
    while (wanted) {
      try (Remote remote = store.remote()) {
        wanted = remote == null ? read() : remote.follow(path(), this::heard);
      } catch (Remote.Refused e) {
        throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
      }
      wanted &= paused();
    }
    return 0;
  }

  private static boolean paused() {
    LockSupport.parkNanos(PAUSE);
    return !Thread.currentThread().isInterrupted();
  }

  private String path() {
    Map<String, String> filters = new LinkedHashMap<>();
    filters.put("machine", String.join(",", machines));
    filters.put("instance", String.join(",", instances));
    filters.put("state", String.join(",", states));
    filters.put("kind", String.join(",", kinds));
    filters.put("after", position == null ? "" : position.toString());
    StringBuilder path = new StringBuilder("/stream");
    filters.forEach((name, value) -> {
      if (!value.isEmpty()) {
        path.append(path.indexOf("?") < 0 ? '?' : '&');
        path.append(name).append('=').append(Remote.encoded(value));
      }
    });
    return path.toString();
  }

  /** Takes a line of the stream; whether more are wanted. */
  private boolean heard(String line) {
    if (line.startsWith("id: ")) {
      position = Long.parseLong(line.substring(4).strip());
    }
    return !line.startsWith("data: {\"") || tell(line.substring(6));
  }

  /** Reads the store until enough is told; whether more is wanted. */
  private boolean read() {
    try (Journal journal = Signalbox.read(store.url())) {
      Map<Long, String> names = new HashMap<>();
      long at = position == null ? journal.end() : position;
      while (true) {
        List<CommittedEntry> page = journal.entries(at, PAGE);
        for (CommittedEntry entry : page) {
          at = entry.row().position();
          String line = line(entry, name(journal, names, entry.machine()));
          if (line != null && !tell(line)) {
            return false;
          }
        }
        if (page.size() < PAGE && !paused()) {
          return false;
        }
      }
    } catch (JournalException | IllegalArgumentException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
  }

  private static String name(Journal journal, Map<Long, String> names, long machine) {
    if (!names.containsKey(machine)) {
      for (PublishedMachine published : journal.machines()) {
        names.put(published.number(), published.name());
      }
    }
    return names.getOrDefault(machine, "");
  }

  /** The entry as the event stream has it; null when it is not wanted, or archived. */
  private @Nullable String line(CommittedEntry entry, String machine) {
    String body = new String(entry.row().body(), StandardCharsets.UTF_8);
    if (body.isEmpty()
        || !isWanted(machines, List.of(machine))
        || !isWanted(instances, List.of(entry.id()))) {
      return null;
    }
    Map<?, ?> fields = HistoryCommand.entry(body);
    boolean wanted =
        isWanted(kinds, List.of(String.valueOf(fields.get("kind"))))
            && isWanted(states, fields.get("states") instanceof List<?> list ? list : List.of());
    return wanted
        ? "{\"position\":%d,\"machine\":%s,\"hash\":\"%s\",\"entry\":%s}"
            .formatted(
                entry.row().position(),
                Json.text(machine),
                HexFormat.of().formatHex(entry.row().hash()),
                body)
        : null;
  }

  private static boolean isWanted(List<String> asked, List<?> found) {
    return asked.isEmpty() || found.stream().map(String::valueOf).anyMatch(asked::contains);
  }

  /** Prints an entry; whether more are wanted, and anybody still reads them. */
  private boolean tell(String line) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(line);
    } else {
      Map<?, ?> entry = (Map<?, ?>) Objects.requireNonNull(HistoryCommand.entry(line).get("entry"));
      out.println("%-24s %s".formatted(entry.get("instance"), HistoryCommand.line(entry)));
    }
    told++;
    return !out.checkError() && (most == null || told < most);
  }
}
