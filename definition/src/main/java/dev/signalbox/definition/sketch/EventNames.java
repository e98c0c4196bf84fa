package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Sketch.Edge;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Turns the prose on the arrows of one drawing into triggers. */
final class EventNames {
  private final Problems problems;
  private int unnamed;

  EventNames(Problems problems) {
    this.problems = problems;
  }

  /**
   * The triggers of the labelled arrows that leave one state. The details {@code finished(yes)} and
   * {@code finished(no)} become part of the names, {@code finished.yes} and {@code finished.no},
   * only where the arrows could not be told apart without them. Different words that give the same
   * name get a number.
   */
  Map<Edge, Named> triggers(List<Edge> exits) {
    Map<Edge, Label> labels = new HashMap<>();
    Map<String, Set<String>> details = new HashMap<>();
    for (Edge edge : exits) {
      String text = edge.label();
      if (text != null) {
        Label label = Label.of(text);
        labels.put(edge, label);
        for (Label.Part part : label.parts()) {
          details.computeIfAbsent(part.base(), _ -> new HashSet<>()).add(part.detail());
        }
      }
    }
    Map<Edge, Named> triggers = new HashMap<>();
    Map<String, String> words = new HashMap<>();
    for (Edge edge : exits) {
      Label label = labels.get(edge);
      if (label != null) {
        triggers.put(edge, new Named(trigger(edge, label, details, words), label.isPlain()));
        warn(edge, label);
      }
    }
    return triggers;
  }

  /**
   * A trigger with its relation to the prose.
   *
   * @param plain whether the trigger says all that the prose says
   */
  record Named(Trigger trigger, boolean plain) {}

  private Trigger trigger(
      Edge edge, Label label, Map<String, Set<String>> details, Map<String, String> words) {
    if (label.timer() != null) {
      return label.timer();
    }
    Set<String> names = new LinkedHashSet<>();
    for (Label.Part part : label.parts()) {
      if (part.base().isEmpty()) {
        names.add("event_" + ++unnamed);
        problems.warning(
            "unnamed-event",
            edge.place(),
            "Expected a label with letters or digits, but \"%s\" has none."
                .formatted(clip(label.text())),
            "The event is called event_%d; give the arrow a name.".formatted(unnamed));
      } else {
        boolean detailed =
            !part.detail().isEmpty() && details.getOrDefault(part.base(), Set.of()).size() > 1;
        String name = detailed ? part.base() + "." + part.detail() : part.base();
        names.add(distinct(name, part, words));
      }
    }
    return new Trigger.On(new ArrayList<>(names));
  }

  private static String distinct(String name, Label.Part part, Map<String, String> words) {
    String free = name;
    for (int number = 2; !words.computeIfAbsent(free, _ -> part.words()).equals(part.words()); ) {
      free = name + "_" + number++;
    }
    return free;
  }

  private void warn(Edge edge, Label label) {
    if (label.guard()) {
      problems.warning(
          "prose-guard",
          edge.place(),
          "Expected a condition that can be evaluated, but the one in \"%s\" is prose."
              .formatted(clip(label.text())),
          "It is kept as the label. Write the machine in YAML to give it a 'when'.");
    }
    if (label.action()) {
      problems.warning(
          "prose-action",
          edge.place(),
          "Expected an event, but \"%s\" also names an action in prose."
              .formatted(clip(label.text())),
          "It is kept as the label. Write the machine in YAML to give it actions.");
    }
  }

  private static String clip(String text) {
    return text.length() <= 60 ? text : text.substring(0, 57) + "...";
  }
}
