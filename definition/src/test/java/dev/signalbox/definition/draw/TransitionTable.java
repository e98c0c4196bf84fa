package dev.signalbox.definition.draw;

import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A flat machine from a table of its transitions: {@code from,trigger,to}, where {@code (start)} is
 * the initial pseudo-state, {@code *} every state that is not final, {@code [x]} a guard's name and
 * {@code after 5m} a timer.
 */
public final class TransitionTable {
  private static final Pattern TRIGGER = Pattern.compile("([^\\[]*)(?:\\[(.*)])?");

  private TransitionTable() {}

  static Machine machine(String name, List<String> rows) {
    Map<String, State.Builder> states = new LinkedHashMap<>();
    String initial = "";
    for (String row : rows) {
      String[] cells = row.split(",", -1);
      for (String id : List.of(cells[0], cells[2])) {
        if (!id.equals("(start)") && !id.equals("*")) {
          states.computeIfAbsent(id, State::named);
        }
      }
      if (cells[0].equals("(start)")) {
        initial = cells[2];
      }
    }
    List<String> left = rows.stream().map(row -> row.split(",", -1)[0]).toList();
    states.forEach((id, state) -> {
      if (!left.contains(id)) {
        state.kind(Kind.FINAL);
      }
    });
    for (String row : rows) {
      String[] cells = row.split(",", -1);
      if (cells[0].equals("*")) {
        left.stream()
            .distinct()
            .filter(states::containsKey)
            .forEach(id -> add(states, id, cells[1], cells[2]));
      } else if (!cells[0].equals("(start)")) {
        add(states, cells[0], cells[1], cells[2]);
      }
    }
    State.Builder root = State.named(Machine.ROOT).initial(Transition.to(initial));
    states.values().forEach(state -> root.child(state.build()));
    return new Machine(
        name,
        1,
        Machine.Mode.STRICT,
        null,
        List.of(),
        List.of(),
        root.build(),
        List.of(),
        Limits.DEFAULT);
  }

  private static void add(
      Map<String, State.Builder> states, String from, String trigger, String to) {
    Matcher parts = TRIGGER.matcher(trigger);
    if (!parts.matches()) {
      throw new IllegalArgumentException(trigger);
    }
    String event = parts.group(1);
    String guard = parts.group(2);
    Trigger on =
        event.startsWith("after ")
            ? new Trigger.After(
                Operand.literal(Durations.parse(event.substring(6)).orElseThrow()), null, false)
            : Trigger.on(event);
    Guard condition = guard == null ? null : new Guard(guard, Operand.expr("ctx." + guard));
    State.Builder state = states.computeIfAbsent(from, State::named);
    state.transition(new Transition(on, condition, List.of(to), false, List.of(), null));
  }

  /** Draws every table of a folder into another: {@code FOLDER OUT [DARK] [RIGHT]}. */
  public static void main(String[] arguments) throws IOException {
    Options options = options(List.of(arguments).subList(2, arguments.length));
    Path out = Files.createDirectories(Path.of(arguments[1]));
    try (Stream<Path> files = Files.list(Path.of(arguments[0]))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".csv")).sorted().toList()) {
        String name = file.getFileName().toString().replace(".csv", "");
        Machine machine = machine(name, Files.readAllLines(file).stream().skip(1).toList());
        Files.writeString(out.resolve(name + ".svg"), Drawing.svg(machine, options));
      }
    }
  }

  static Options options(List<String> words) {
    Options options = Options.DEFAULT;
    for (String word : words) {
      options =
          word.equals("RIGHT")
              ? options.direction(Options.Direction.RIGHT)
              : options.theme(Options.Theme.valueOf(word));
    }
    return options;
  }
}
