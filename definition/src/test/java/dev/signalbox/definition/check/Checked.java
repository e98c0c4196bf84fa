package dev.signalbox.definition.check;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import java.util.List;

/** Machines in YAML, checked. */
final class Checked {
  private Checked() {}

  static CheckReport structure(String yaml) {
    return Check.run(read(yaml), CheckOptions.STRUCTURE);
  }

  static CheckReport all(String yaml) {
    return Check.run(read(yaml));
  }

  static Definition read(String yaml) {
    return YamlReader.read(new Source("machine.yaml", yaml));
  }

  /** The problems as {@code code@line}, with a mark for warnings. */
  static List<String> found(String yaml) {
    return structure(yaml).problems().stream().map(Checked::text).toList();
  }

  static List<String> foundExploring(String yaml) {
    return all(yaml).problems().stream().map(Checked::text).toList();
  }

  private static String text(Problem problem) {
    return (problem.isError() ? "" : "~") + problem.code() + "@" + problem.place().line();
  }
}
