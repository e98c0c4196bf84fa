package dev.signalbox.definition.sketch;

import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The prose on an arrow, taken apart.
 *
 * <p>{@code submit} is an event; so is {@code Intent accepted}, under the name {@code
 * intent_accepted}. {@code interrupt / steer} is either of two events. {@code submit(late)} and
 * {@code submit [late]} are the event {@code submit} with a detail. In {@code submit [late] / log}
 * and {@code submit / log()} what follows the slash is an action. {@code [late]} alone is an event
 * too. {@code after 5m} is a timer.
 *
 * @param text the prose as it was written
 * @param timer the trigger when it is a timer; then there are no parts
 * @param guard whether it has a condition in prose
 * @param action whether it has an action in prose
 */
record Label(
    String text, Trigger.@Nullable After timer, List<Part> parts, boolean guard, boolean action) {

  private static final Pattern TAG = Pattern.compile("</?[A-Za-z][^<>]{0,200}>");
  private static final Pattern ARROW = Pattern.compile("[-=<]{0,5}[-=]>|<[-=]{1,5}");
  private static final Pattern SPACES = Pattern.compile("\\s+");

  Label {
    parts = List.copyOf(parts);
  }

  /**
   * One event of a label.
   *
   * @param base the event's name; empty when the prose has no letters
   * @param detail the slug of what stands in brackets behind it; empty when there is nothing
   * @param words what both were made from
   * @param prose whether the name had to be made from several words
   */
  record Part(String base, String detail, String words, boolean prose) {

    static Part of(String event, String detail) {
      String word = event.strip();
      String base = name(word);
      return new Part(base, name(detail), word + " " + detail.strip(), !base.equals(word));
    }

    private static String name(String text) {
      String plain = ARROW.matcher(TAG.matcher(text).replaceAll(" ")).replaceAll(" ");
      // What tells two conditions apart is often only the sign in the middle.
      return Slug.name(
          plain
              .replace(">=", " ge ")
              .replace("≥", " ge ")
              .replace("<=", " le ")
              .replace("≤", " le ")
              .replace("!=", " ne ")
              .replace("≠", " ne ")
              .replace("==", " eq ")
              .replace(">", " gt ")
              .replace("<", " lt "),
          '_');
    }

    Part lower() {
      return new Part(base.toLowerCase(Locale.ROOT), detail, words, prose);
    }
  }

  static Label of(String text) {
    String line = SPACES.matcher(text).replaceAll(" ").strip();
    Optional<Trigger.After> timer = timer(line);
    if (timer.isPresent()) {
      return new Label(text, timer.get(), List.of(), false, false);
    }
    if (isDescriptor(line)) {
      return new Label(text, null, List.of(new Part(line, "", line, false)), false, false);
    }
    int open = line.indexOf('[');
    int close = line.lastIndexOf(']');
    if (open >= 0 && close > open) {
      String rest = line.substring(close + 1).strip();
      if (rest.isEmpty() || rest.startsWith("/")) {
        return guarded(text, line.substring(0, open), line.substring(open + 1, close), rest);
      }
    }
    return unguarded(text, line);
  }

  /** Whether the event's name says all that the prose says. */
  boolean isPlain() {
    return timer != null || (parts.size() == 1 && parts.getFirst().base.equals(text));
  }

  private static Label guarded(String text, String head, String condition, String rest) {
    List<Part> parts = new ArrayList<>();
    if (head.isBlank()) {
      parts.add(Part.of(condition, ""));
    } else {
      for (String event : events(head)) {
        parts.add(Part.of(event, condition));
      }
    }
    return new Label(text, null, alike(parts), true, !rest.isEmpty());
  }

  private static Label unguarded(String text, String line) {
    List<String> events = events(line);
    boolean action =
        line.startsWith("/") || events.stream().skip(1).anyMatch(Label::looksLikeAction);
    List<Part> parts = new ArrayList<>();
    for (String event : action ? events.subList(0, 1) : events) {
      parts.add(part(event));
    }
    return new Label(text, null, alike(parts), false, action);
  }

  /** Names that are prose in one place are lower case in all. */
  private static List<Part> alike(List<Part> parts) {
    boolean prose = parts.stream().anyMatch(p -> p.prose);
    return prose ? parts.stream().map(Part::lower).toList() : parts;
  }

  private static Part part(String event) {
    int open = event.indexOf('(');
    if (open > 0 && event.endsWith(")")) {
      Part part = Part.of(event.substring(0, open), event.substring(open + 1, event.length() - 1));
      if (!part.base.isEmpty()) {
        return part;
      }
    }
    return Part.of(event, "");
  }

  private static List<String> events(String line) {
    List<String> events = new ArrayList<>();
    for (String event : line.split(" / ")) {
      String stripped = event.startsWith("/") ? event.substring(1).strip() : event.strip();
      if (!stripped.isEmpty()) {
        events.add(stripped);
      }
    }
    return events.isEmpty() ? List.of(line) : events;
  }

  private static boolean looksLikeAction(String text) {
    return text.contains("(") || text.contains("=") || text.contains("++") || text.contains("--");
  }

  private static boolean isDescriptor(String line) {
    String word = line.endsWith(".*") ? line.substring(0, line.length() - 2) : line;
    return line.equals("*") || (word.length() <= 200 && Slug.isWord(word));
  }

  private static Optional<Trigger.After> timer(String line) {
    String lower = line.toLowerCase(Locale.ROOT);
    if (!lower.startsWith("after ") || line.length() > 40) {
      return Optional.empty();
    }
    return Durations.parse(lower.substring("after ".length()))
        .map(d -> new Trigger.After(Operand.literal(d), null, false));
  }
}
