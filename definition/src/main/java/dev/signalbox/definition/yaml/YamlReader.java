package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.Documents.Document;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads machines from YAML, in the form that docs/machines.md specifies. Never throws. */
public final class YamlReader {
  private static final Comparator<Problem> BY_PLACE =
      Comparator.<Problem>comparingInt(p -> p.place().line())
          .thenComparingInt(p -> p.place().column());

  private YamlReader() {}

  /** The one machine of the source; a second document is a problem. */
  public static Definition read(Source source) {
    List<Definition> all = readAll(source);
    Definition first = all.getFirst();
    if (all.size() == 1) {
      return first;
    }
    Problems problems = new Problems(source.name());
    first.problems().forEach(problems::add);
    problems.error(
        "several-machines",
        Place.START,
        "Expected one machine, but there are " + all.size() + " documents.",
        "Keep each machine in a file of its own where only one is wanted.");
    return new Definition(source, first.machine(), first.places(), problems.list());
  }

  /** The machines of all documents of the source, at least one. */
  public static List<Definition> readAll(Source source) {
    if (source.text().length() > Source.LARGEST) {
      return List.of(
          failed(
              source,
              "too-large",
              "Expected at most 10 MB of text, but there is more.",
              "Split it into several machines."));
    }
    List<Definition> definitions = new ArrayList<>();
    for (Document document : Documents.of(source)) {
      Node root = document.root();
      boolean empty = root != null && root.isNothing();
      if (!empty) {
        definitions.add(definition(source, document));
      }
    }
    return definitions.isEmpty()
        ? List.of(
            failed(source, "empty-document", "Expected a machine, but the text is empty.", ""))
        : List.copyOf(definitions);
  }

  private static Definition definition(Source source, Document document) {
    Places places = new Places();
    Node root = document.root();
    Machine machine = root == null ? null : MachineForm.read(root, document.problems(), places);
    return new Definition(
        source, machine, places, document.problems().list().stream().sorted(BY_PLACE).toList());
  }

  private static Definition failed(Source source, String code, String message, String hint) {
    Problems problems = new Problems(source.name());
    problems.error(code, Place.START, message, hint);
    return new Definition(source, null, new Places(), problems.list());
  }
}
