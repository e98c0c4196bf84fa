package dev.signalbox.definition.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random machines so small that everything they can do can be tried: fields of few values, which
 * the start or events give, in expressions that the checks have rules of their own for.
 */
final class SmallMachines {
  static final List<String> WORDS = List.of("", "x", "y");

  private final Random random;
  private final int fields;

  private SmallMachines(Random random) {
    this.random = random;
    this.fields = 2 + random.nextInt(2);
  }

  /** A machine in YAML with the invariants i0, i1. */
  static String text(long seed) {
    SmallMachines dice = new SmallMachines(new Random(seed));
    StringBuilder yaml = new StringBuilder("machine: m\ncontext:\n");
    for (int f = 0; f < dice.fields; f++) {
      yaml.append(dice.field(f));
    }
    yaml.append("events:\n");
    for (String event : List.of("e", "f")) {
      yaml.append(
          "  %s: { data: { w: { type: string, values: ['', x, y] }, b: bool } }\n"
              .formatted(event));
    }
    yaml.append("states:\n");
    for (String state : List.of("A", "B")) {
      yaml.append("  %s:\n    waits: for a test\n    on:\n".formatted(state));
      for (String event : List.of("e", "f")) {
        yaml.append("      %s:\n".formatted(event));
        yaml.append("        - ").append(dice.transition(true)).append('\n');
        if (dice.random.nextBoolean()) {
          yaml.append("        - ").append(dice.transition(false)).append('\n');
        }
      }
    }
    yaml.append("invariants:\n");
    for (int i = 0; i < 2; i++) {
      String in = dice.random.nextInt(3) == 0 ? ", in: " + dice.pick("A", "B") : "";
      yaml.append("  - { name: i%d, always: \"%s\"%s }\n".formatted(i, dice.invariant(), in));
    }
    return yaml.toString();
  }

  /** Fields with an even number are words, the others are true or false. */
  private static boolean isWord(int field) {
    return field % 2 == 0;
  }

  private String field(int field) {
    String own = random.nextInt(4) == 0 ? ", own: true" : "";
    return isWord(field)
        ? "  c%d: { type: string, values: ['', x, y], default: '%s'%s }\n"
            .formatted(field, WORDS.get(random.nextInt(3)), own)
        : "  c%d: { type: bool, default: %s%s }\n".formatted(field, random.nextBoolean(), own);
  }

  private String transition(boolean guarded) {
    List<String> parts = new ArrayList<>();
    if (random.nextBoolean()) {
      parts.add("to: " + pick("A", "B"));
    }
    if (guarded && random.nextInt(3) > 0) {
      parts.add("when: \"%s\"".formatted(condition(true)));
    }
    if (random.nextInt(4) > 0) {
      int field = random.nextInt(fields);
      parts.add("assign: { c%d: \"%s\" }".formatted(field, value(field)));
    }
    return "{ " + String.join(", ", parts) + " }";
  }

  private String value(int field) {
    boolean word = isWord(field);
    return switch (random.nextInt(4)) {
      case 0 -> word ? "event.w" : "event.b";
      case 1 -> word ? "'" + WORDS.get(random.nextInt(3)) + "'" : pick("true", "false");
      case 2 -> word ? "event.b ? event.w : ctx.c" + field : "!ctx.c" + field;
      default -> word ? "ctx.c0" : "In('A')";
    };
  }

  private String invariant() {
    return random.nextInt(4) == 0
        ? condition(false)
        : condition(false) + pick(" || ", " && ") + condition(false);
  }

  private String condition(boolean event) {
    String atom = atom(event);
    return switch (random.nextInt(4)) {
      case 0 -> "(%s || %s)".formatted(atom, atom(event));
      case 1 -> "(%s && %s)".formatted(atom, atom(event));
      case 2 -> "!(%s)".formatted(atom);
      default -> atom;
    };
  }

  private String atom(boolean event) {
    int field = random.nextInt(fields);
    if (isWord(field)) {
      String other = event && random.nextBoolean() ? "event.w" : "'" + pick("", "x", "y") + "'";
      return "ctx.c%d %s %s".formatted(field, pick("==", "!="), other);
    }
    return switch (random.nextInt(3)) {
      case 0 -> "ctx.c%d == In('%s')".formatted(field, pick("A", "B"));
      case 1 -> event ? "ctx.c%d != event.b".formatted(field) : "!ctx.c" + field;
      default -> "ctx.c" + field;
    };
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
