package dev.signalbox.definition.yaml;

/** What to say about a key that exists, but not where it was found. */
final class Misplaced {
  private Misplaced() {}

  static String why(String key) {
    return switch (key) {
      case "in" -> "'in' belongs to a transition under 'after'.";
      case "clock" -> "'clock' belongs to a transition under 'after'.";
      case "<<" -> "Merge keys are not part of YAML 1.2; write the entries out.";
      case "target", "goto", "next" -> "The key for the target is 'to'.";
      case "cond", "condition" -> "The key for the condition is 'when'.";
      case "actions" -> "The key for actions is 'do'.";
      case "onentry", "on_entry" -> "The key for actions on entry is 'entry'.";
      case "onexit", "on_exit" -> "The key for actions on exit is 'exit'.";
      default -> "";
    };
  }
}
