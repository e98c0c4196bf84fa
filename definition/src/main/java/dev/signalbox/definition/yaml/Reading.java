package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Suggestion;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is noted while one machine is read: problems, places, its states and who refers to them. */
final class Reading {
  private static final int LONGEST_QUOTE = 60;

  private record Reference(String state, Place place, String code, String what) {}

  private final Problems problems;
  private final Places places;
  private final Machine.Mode mode;
  private final Map<String, Place> states = new LinkedHashMap<>();
  private final List<Reference> references = new ArrayList<>();

  Reading(Problems problems, Places places, Machine.Mode mode) {
    this.problems = problems;
    this.places = places;
    this.mode = mode;
  }

  Problems problems() {
    return problems;
  }

  Places places() {
    return places;
  }

  Machine.Mode mode() {
    return mode;
  }

  /** The element, after its place was noted. */
  <T> T placed(T element, Place place) {
    places.put(element, place);
    return element;
  }

  void error(String code, Place place, String message, String hint) {
    problems.error(code, place, message, hint);
  }

  /** Expected one thing, found another. */
  void wrongType(Node node, String expected, String hint) {
    error(
        "wrong-type",
        node.place(),
        "Expected " + expected + ", but found " + node.described() + ".",
        hint);
  }

  void unknownKey(String key, Place place, String what, Collection<String> known, String why) {
    String guess = Suggestion.hint(key, known);
    String hint = why.isEmpty() ? guess : why;
    error(
        "unknown-key",
        place,
        "Expected a key of " + what + ", but found '" + shortened(key) + "'.",
        hint.isEmpty() ? "Keys here: " + String.join(", ", known) + "." : hint);
  }

  /** Notes a state; a second one of the same name is a problem. */
  void declareState(String id, Place place) {
    Place first = states.putIfAbsent(id, place);
    if (first != null) {
      error(
          "duplicate-state",
          place,
          "Expected every state to have a name of its own, but '"
              + shortened(id)
              + "' is also at line "
              + first.line()
              + ".",
          "Names of states are global in a machine, also below different parents.");
    }
  }

  int stateCount() {
    return states.size();
  }

  /** Notes that a state is spoken of; {@link #checkReferences} looks whether it exists. */
  void refer(String state, Place place, String code, String what) {
    references.add(new Reference(state, place, code, what));
  }

  void checkReferences() {
    for (Reference reference : references) {
      if (!states.containsKey(reference.state)) {
        error(
            reference.code,
            reference.place,
            "Expected "
                + reference.what
                + " to name a state, but there is no state '"
                + shortened(reference.state)
                + "'.",
            Suggestion.hint(reference.state, states.keySet()));
      }
    }
  }

  /** A text of the source, short enough for a message. */
  static String shortened(String text) {
    String line = text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text;
    return line.replaceAll("\\p{Cntrl}", " ");
  }
}
