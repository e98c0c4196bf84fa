package dev.signalbox.systems;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page about one system in {@code docs/systems}: its machines, drawn and in tables. */
final class SystemPage {
  private final StringBuilder out = new StringBuilder();

  private SystemPage() {}

  /** The systems in order, the services last. */
  static List<String> systems() {
    return SystemMachines.names().stream().map(SystemMachines::system).distinct().toList();
  }

  static String of(String system) {
    SystemPage page = new SystemPage();
    page.line(
        "# " + Character.toUpperCase(system.charAt(0)) + system.substring(1) + ": the machines");
    page.line("");
    page.line("Generated from the machines; `SystemPagesTest` says how to write it again.");
    for (String name : SystemMachines.names()) {
      if (SystemMachines.system(name).equals(system)) {
        page.machine(SystemMachines.machine(name));
      }
    }
    return page.out.toString();
  }

  private void machine(Machine machine) {
    line("");
    line("## " + machine.name());
    line("");
    line(String.valueOf(machine.description()));
    line("");
    line("```mermaid");
    line(PlainPicture.of(machine));
    line("```");
    states(machine);
    deadlines(machine);
    events(machine);
    records(machine);
    invariants(machine);
  }

  private void states(Machine machine) {
    title("States");
    head("state", "what it is", "why it may wait");
    all(machine)
        .filter(s -> s.note() != null || s.waits() != null)
        .forEach(s -> row(code(s.id()), text(s.note()), text(s.waits())));
  }

  private void deadlines(Machine machine) {
    if (all(machine).flatMap(SystemPage::timed).findAny().isEmpty()) {
      return;
    }
    title("Deadlines");
    head("state", "deadline", "then");
    all(machine)
        .forEach(state ->
            timed(state)
                .forEach(
                    t -> row(code(state.id()), deadline(t), code(String.join(", ", t.targets())))));
  }

  private static Stream<Transition> timed(State state) {
    return state.transitions().stream().filter(t -> t.trigger() instanceof Trigger.After);
  }

  private static String deadline(Transition transition) {
    Trigger.After after = (Trigger.After) transition.trigger();
    String name = after.event();
    String length = new Trigger.After(after.delay(), null, false).text();
    String clock = after.cumulative() ? ", all visits together" : "";
    String when =
        transition.guard() == null ? "" : ", when " + code(transition.guard().condition().text());
    return (name == null ? length : code(name) + " " + length) + clock + when;
  }

  private void events(Machine machine) {
    title("Events");
    head("event", "data", "who may send it", "what it says");
    for (EventType event : machine.events()) {
      row(
          code(event.name()),
          fields(event.data()),
          event.roles().isEmpty() ? "anyone" : String.join(", ", event.roles()),
          text(event.description()));
    }
  }

  private static String fields(@Nullable Type data) {
    return data == null
        ? ""
        : data.fields().entrySet().stream()
            .map(f -> code(f.getKey()) + (f.getValue().optional() ? " (optional)" : ""))
            .collect(Collectors.joining(", "));
  }

  private void records(Machine machine) {
    Set<String> kinds = new TreeSet<>();
    all(machine)
        .forEach(state -> {
          state.entry().forEach(block -> block.forEach(a -> emitted(a, kinds)));
          state.transitions().forEach(t -> t.actions().forEach(a -> emitted(a, kinds)));
        });
    if (!kinds.isEmpty()) {
      title("Records");
      line(kinds.stream().map(SystemPage::code).collect(Collectors.joining(", ")));
    }
  }

  private static void emitted(Action action, Set<String> kinds) {
    switch (action) {
      case Action.Emit emit -> kinds.add(emit.kind());
      case Action.If(List<Action.Branch> branches, List<Action> otherwise) -> {
        branches.forEach(branch -> branch.actions().forEach(a -> emitted(a, kinds)));
        otherwise.forEach(a -> emitted(a, kinds));
      }
      case Action.Foreach loop -> loop.body().forEach(a -> emitted(a, kinds));
      case Action.Assign _,
          Action.Raise _,
          Action.Send _,
          Action.Cancel _,
          Action.Log _,
          Action.Perform _ -> {}
    }
  }

  private void invariants(Machine machine) {
    title("Invariants");
    head("name", "what holds", "a violation");
    for (Invariant invariant : machine.invariants()) {
      row(
          invariant.name(),
          meaning(invariant),
          switch (invariant.severity()) {
            case FATAL -> "is refused";
            case ERROR -> "is recorded and alerts";
            case WARN -> "is recorded";
          });
    }
  }

  private static String meaning(Invariant invariant) {
    return switch (invariant) {
      case Invariant.Never(_, _, Fact fact) -> "never " + fact(fact);
      case Invariant.Apart(_, _, List<String> states) ->
          states.stream().map(SystemPage::code).collect(Collectors.joining(" and "))
              + " are never active together";
      case Invariant.Always(_, _, var condition, String in) ->
          "always " + code(condition.text()) + (in == null ? "" : " in " + code(in));
      case Invariant.Before(_, _, Fact reaching, Fact first) ->
          fact(reaching) + " only after " + fact(first);
      case Invariant.LeadsTo(_, _, Fact trigger, List<Fact> responses, Duration _, String _) ->
          fact(trigger)
              + " is followed by "
              + responses.stream().map(SystemPage::fact).collect(Collectors.joining(" or "));
      case Invariant.Times(_, _, Fact fact, int min, int max) ->
          fact(fact) + (min == max ? " exactly " : " at most ") + times(max);
      case Invariant.OneAtATime(_, _, Fact opens, Fact closes) ->
          "after " + fact(opens) + " not again before " + fact(closes);
      case Invariant.Frozen(_, _, String field, String after) ->
          code(field) + " keeps its value from " + code(after) + " on";
    };
  }

  private static String times(int count) {
    return count == 1 ? "once" : count + " times";
  }

  private static String fact(Fact fact) {
    return code(fact.text());
  }

  private static Stream<State> all(Machine machine) {
    return machine.root().children().stream().flatMap(SystemPage::withChildren);
  }

  private static Stream<State> withChildren(State state) {
    return Stream.concat(
        Stream.of(state), state.children().stream().flatMap(SystemPage::withChildren));
  }

  private void title(String title) {
    line("");
    line("### " + title);
    line("");
  }

  private void head(String... names) {
    row(names);
    line("|" + "---|".repeat(names.length));
  }

  private void row(String... cells) {
    line("| " + String.join(" | ", cells) + " |");
  }

  private void line(String text) {
    out.append(text).append('\n');
  }

  private static String text(@Nullable String prose) {
    return prose == null ? "" : prose.replace("|", "\\|");
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text.replace("|", "\\|") + "`";
  }
}
