package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.EmptyKeys;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Migration;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An instance lived through again: each entry's cause is given to the kernel once more, and what it
 * answers must be what was written, byte for byte. Nothing outside is called.
 */
final class Replay {
  private final Function<String, @Nullable Chart> charts;
  private final EntryWriter writer;
  private @Nullable Chart chart;
  private @Nullable Snapshot snapshot;
  private String digest = "";
  private boolean paused;
  private long stoppedAt = -1;
  private long at;
  private long since;

  /**
   * @param charts gives the machine with a digest, or null
   */
  Replay(Function<String, @Nullable Chart> charts) {
    this(charts, new EntryWriter());
  }

  /**
   * @param writer that many may share, as long as one is at work at a time
   */
  Replay(Function<String, @Nullable Chart> charts, EntryWriter writer) {
    this.charts = charts;
    this.writer = writer;
  }

  /** Where a replay is, to go on later. */
  record State(
      byte[] snapshot, String digest, boolean paused, long stoppedAt, long at, long since) {}

  /** Where it is, or null when nothing was replayed yet. */
  @Nullable State state() {
    return snapshot == null
        ? null
        : new State(SnapshotCodec.bytes(snapshot), digest, paused, stoppedAt, at, since);
  }

  /** Goes on where another was. */
  Replay at(State state) {
    Chart known = Objects.requireNonNull(charts.apply(state.digest()));
    chart = known;
    snapshot = SnapshotCodec.read(known, state.snapshot());
    digest = state.digest();
    paused = state.paused();
    stoppedAt = state.stoppedAt();
    at = state.at();
    since = state.since();
    return this;
  }

  /** The entry does not follow from those before it. */
  static final class Differs extends Exception {
    Differs(String message) {
      super(message);
    }
  }

  /** The instance after the entries so far. */
  Snapshot snapshot() {
    return Objects.requireNonNull(snapshot, "Nothing was replayed yet.");
  }

  /** The digest of the machine that the instance has after the entries so far. */
  String digest() {
    return digest;
  }

  boolean isPaused() {
    return paused;
  }

  /** Since when the clocks stand still; negative when they run. */
  long stoppedAt() {
    return stoppedAt;
  }

  /** When the newest entry was written. */
  long at() {
    return at;
  }

  /** When the instance came into its states. */
  long since() {
    return since;
  }

  /** Lives through one more entry of the instance's own chain. */
  void next(byte[] body) throws Differs {
    Map<?, ?> entry = read(body);
    Snapshot before = snapshot;
    String machine = digest;
    byte[] again;
    try {
      again = again(entry);
    } catch (ClassCastException | NullPointerException | IllegalArgumentException e) {
      throw new Differs("a field of it has another form: " + e.getMessage());
    }
    if (!Arrays.equals(again, body)) {
      throw new Differs(
          "the machine gives %s".formatted(new String(again, StandardCharsets.UTF_8)));
    }
    if (before == null
        || !machine.equals(digest)
        || !before.configuration().equals(snapshot().configuration())) {
      since = at;
    }
  }

  private byte[] again(Map<?, ?> entry) throws Differs {
    String kind = (String) entry.get("kind");
    Event event = event((Map<?, ?>) Objects.requireNonNull(entry.get("event")));
    at = (Long) Objects.requireNonNull(entry.get("at"));
    EntryWriter.Heading heading =
        new EntryWriter.Heading(
            String.valueOf(kind),
            entry.get("cause"),
            (String) Objects.requireNonNull(entry.get("instance")),
            (Long) Objects.requireNonNull(entry.get("sequence")),
            at,
            (String) entry.get("key"),
            (String) entry.get("command"),
            entry.get("machine"),
            (String) entry.get("trace"),
            (String) entry.get("keys"));
    EmptyKeys keys = heading.keys() == null ? EmptyKeys.EMPTY_MEANS_ALL : EmptyKeys.DISTINCT;
    if ("start".equals(kind)) {
      return start(entry, heading, event, keys);
    }
    if ("fork".equals(kind)) {
      return fork(entry, heading, event);
    }
    Snapshot before = snapshot;
    Chart known = chart;
    if (before == null || known == null) {
      throw new Differs("the instance has not started");
    }
    return switch (kind) {
      case "pause" -> {
        Object timers = timers(entry);
        paused = true;
        stoppedAt = "stopped".equals(timers) ? at : -1;
        yield writer.control(heading, event, before, "timers", timers);
      }
      case "resume" -> {
        paused = false;
        stoppedAt = -1;
        Object timers = timers(entry);
        snapshot =
            before.postponed((Long) Objects.requireNonNull(((Map<?, ?>) timers).get("shifted")));
        yield writer.control(heading, event, before, "timers", timers);
      }
      case "erase" -> writer.control(heading, event, before, "timers", null);
      case "correct" ->
          writer.control(
              heading, event, before, "restored", Objects.requireNonNull(entry.get("restored")));
      case "migrate" -> {
        Chart target = machine(entry);
        long now = stoppedAt < 0 ? at : stoppedAt;
        yield taken(
            heading,
            null,
            event,
            Migration.migrate(
                known,
                target,
                before,
                Migrations.states(event),
                Migrations.hindsight(event),
                event,
                now));
      }
      case "timer" -> {
        String timer = (String) Objects.requireNonNull(entry.get("cause"));
        yield taken(heading, before, null, Kernel.fire(known, before, timer, at, true, keys));
      }
      case "event", "message", "effect", "cancel" ->
          event.name().equals(Kernel.CANCEL)
              ? taken(
                  heading,
                  before,
                  event,
                  Kernel.cancel(known, before, at, true, keys, event.data()))
              : taken(heading, before, event, Kernel.step(known, before, event, at, true, keys));
      case null, default -> throw new Differs("nothing of the kind '%s' is known".formatted(kind));
    };
  }

  private static Object timers(Map<?, ?> entry) {
    return Objects.requireNonNull(entry.get("timers"));
  }

  private byte[] start(Map<?, ?> entry, EntryWriter.Heading heading, Event event, EmptyKeys keys)
      throws Differs {
    Chart known = first(entry);
    Map<String, @Nullable Object> input =
        event.data() instanceof Map<?, ?> given ? texts(given) : Map.of();
    Answer answer =
        Kernel.start(
            known, heading.instance(), (String) entry.get("parent"), input, at, true, keys);
    return taken(heading, null, event, answer);
  }

  private byte[] fork(Map<?, ?> entry, EntryWriter.Heading heading, Event event) throws Differs {
    Chart known = first(entry);
    return taken(heading, null, event, Forks.again(known, event));
  }

  private Chart first(Map<?, ?> entry) throws Differs {
    if (snapshot != null) {
      throw new Differs("the instance has started before");
    }
    return machine(entry);
  }

  /** Makes the machine that the entry names the instance's. */
  private Chart machine(Map<?, ?> entry) throws Differs {
    Map<?, ?> machine = (Map<?, ?>) Objects.requireNonNull(entry.get("machine"));
    String named = String.valueOf(machine.get("digest"));
    Chart known = charts.apply(named);
    if (known == null) {
      throw new Differs("its machine %s is not there".formatted(machine));
    }
    chart = known;
    digest = named;
    return known;
  }

  private byte[] taken(
      EntryWriter.Heading heading, @Nullable Snapshot before, @Nullable Event cause, Answer answer)
      throws Differs {
    return switch (answer) {
      case Rejection rejection ->
          throw new Differs("the machine refuses it: " + rejection.message());
      case Step step -> {
        snapshot = step.after();
        Step told = cause == null ? step : Ledger.of(step, cause);
        yield writer.step(heading, before == null ? null : before.context(), told);
      }
    };
  }

  @SuppressWarnings("unchecked")
  private static Map<String, @Nullable Object> texts(Map<?, ?> map) {
    // EmptyKeys of JSON objects are always texts.
    return (Map<String, @Nullable Object>) map;
  }

  static Map<?, ?> read(byte[] body) throws Differs {
    try {
      if (Json.parse(new String(body, StandardCharsets.UTF_8)) instanceof Map<?, ?> map) {
        return map;
      }
    } catch (Json.SyntaxException e) {
      throw new Differs("it is not JSON: " + e.getMessage());
    }
    throw new Differs("it is not a JSON object");
  }

  private static Event event(Map<?, ?> value) {
    Object kind = value.get("kind");
    return new Event(
        (String) Objects.requireNonNull(value.get("name")),
        kind == null
            ? Event.Kind.EXTERNAL
            : Event.Kind.valueOf(((String) kind).toUpperCase(Locale.ROOT)),
        value.get("data"),
        value.get("actor") instanceof Map<?, ?> actor ? actor(actor) : null,
        (String) value.get("send_id"),
        (String) value.get("origin"),
        (String) value.get("origin_type"),
        (String) value.get("invoke_id"));
  }

  static Actor actor(Map<?, ?> value) {
    List<?> roles = value.get("roles") instanceof List<?> list ? list : List.of();
    return new Actor(
        Actor.Kind.valueOf(
            ((String) Objects.requireNonNull(value.get("kind"))).toUpperCase(Locale.ROOT)),
        (String) Objects.requireNonNull(value.get("name")),
        roles.stream().map(String::valueOf).toList());
  }
}
