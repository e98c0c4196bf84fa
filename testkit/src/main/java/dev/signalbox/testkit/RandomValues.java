package dev.signalbox.testkit;

import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Values of a declared type, small ones most of the time. */
final class RandomValues {
  private static final List<String> WORDS = List.of("", "a", "b", "lint", "test", "ü", "x y");

  private final Random random;

  RandomValues(Random random) {
    this.random = random;
  }

  @Nullable Object of(Type type) {
    if (type.optional() && random.nextInt(4) == 0) {
      return null;
    }
    if (!type.values().isEmpty()) {
      return type.values().get(random.nextInt(type.values().size()));
    }
    return switch (type.kind()) {
      case ANY, STRING -> WORDS.get(random.nextInt(WORDS.size()));
      case BOOL -> random.nextBoolean();
      case INT -> (long) random.nextInt(-1, 6);
      case DOUBLE -> random.nextInt(8) / 4.0;
      case LIST -> {
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          items.add(of(type.item() == null ? Type.STRING : type.item()));
        }
        yield items;
      }
      case MAP -> Map.of("a", 1L);
      case OBJECT -> {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        type.fields().forEach((name, field) -> fields.put(name, of(field)));
        yield fields;
      }
    };
  }
}
