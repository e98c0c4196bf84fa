package dev.signalbox.definition.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.RandomMachines;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

class YamlPlacesTest {
  private static final List<Class<?>> PLACED =
      List.of(
          State.class,
          Transition.class,
          Guard.class,
          Operand.class,
          Action.class,
          Invoke.class,
          Field.class,
          EventType.class,
          Invariant.class);

  @Provide
  Arbitrary<Machine> machines() {
    return RandomMachines.any();
  }

  @Property(tries = 200)
  void every_element_has_its_place(@ForAll("machines") Machine machine) throws Exception {
    String text = YamlWriter.write(machine, new Problems("m"));
    Definition definition = YamlReader.read(new Source("m", text));
    List<String> lines = text.lines().toList();
    List<Object> elements = new ArrayList<>();
    collect(Objects.requireNonNull(definition.machine()), elements);
    for (Object element : elements) {
      assertThat(definition.places().has(element)).as("%s", element).isTrue();
      Place place = definition.places().of(element);
      String line = lines.get(place.line() - 1);
      assertThat(place.column()).isBetween(1, line.length() + 1);
      boolean written =
          element instanceof Operand.Expr(String expr)
              && !expr.startsWith(Values.INSTANCE)
              && expr.chars().noneMatch(c -> c == '\'' || c == '\n');
      if (written) {
        assertThat(line.substring(place.column() - 1)).startsWith(((Operand.Expr) element).text());
      }
    }
  }

  private static void collect(@Nullable Object value, List<Object> into) throws Exception {
    switch (value) {
      case null -> {}
      case List<?> list -> {
        for (Object item : list) {
          collect(item, into);
        }
      }
      case Record element -> {
        if (PLACED.stream().anyMatch(type -> type.isInstance(element))) {
          into.add(element);
        }
        for (RecordComponent component : element.getClass().getRecordComponents()) {
          collect(component.getAccessor().invoke(element), into);
        }
      }
      default -> {}
    }
  }
}
