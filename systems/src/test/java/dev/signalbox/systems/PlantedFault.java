package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * A fault that is planted in the text of a machine, and what must be found of it.
 *
 * @param cut whole lines of the machine, at any indentation
 * @param put the lines in their place
 * @param finds the code of a problem; empty when there is none
 * @param about a part of that problem's message
 * @param breaks the invariant that must be refuted; empty when none is
 */
record PlantedFault(
    String machine,
    String fault,
    String cut,
    String put,
    String finds,
    String about,
    String breaks) {
  private static final int DEEPEST = 40;

  /** All faults, in the order of the file. */
  static List<PlantedFault> all() {
    try (InputStream in = PlantedFault.class.getResourceAsStream("planted-faults.yaml")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      Object read = new Load(LoadSettings.builder().build()).loadFromString(text);
      return ((List<?>) Objects.requireNonNull(read))
          .stream().map(item -> of((Map<?, ?>) Objects.requireNonNull(item))).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PlantedFault of(Map<?, ?> item) {
    return new PlantedFault(
        text(item, "machine"),
        text(item, "fault"),
        text(item, "cut"),
        text(item, "put"),
        text(item, "finds"),
        text(item, "about"),
        text(item, "breaks"));
  }

  private static String text(Map<?, ?> item, String key) {
    @Nullable Object value = item.get(key);
    return value == null ? "" : value.toString();
  }

  /** The machine's text with the fault in it. */
  Source source() {
    Source good = SystemMachines.source(machine);
    String found = null;
    for (int depth = 0; depth <= DEEPEST; depth++) {
      String lines = "\n" + indented(cut, depth);
      int at = good.text().indexOf(lines);
      if (at >= 0) {
        assertThat(found).as("what is cut is there once").isNull();
        assertThat(good.text().indexOf(lines, at + 1)).as("what is cut is there once").isNegative();
        found = good.text().replace(lines, "\n" + indented(put, depth));
      }
    }
    assertThat(found).as("what is cut is there").isNotNull();
    return new Source(good.name(), Objects.requireNonNull(found));
  }

  private static String indented(String lines, int depth) {
    return lines
        .lines()
        .map(line -> (line.isEmpty() ? line : " ".repeat(depth) + line) + "\n")
        .collect(Collectors.joining());
  }

  @Override
  public String toString() {
    return machine + ": " + fault;
  }
}
