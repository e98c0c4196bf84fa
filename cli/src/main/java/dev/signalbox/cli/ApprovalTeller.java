package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Asker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What people are asked, as a person reads it: what is to be done and for what, the command and its
 * arguments, who asks, until when; the digest, which binds all of it, comes last.
 */
final class ApprovalTeller {
  private static final String INDENT = "    ";

  private ApprovalTeller() {}

  /** Everything that is approved, value by value. */
  static String whole(Approval approval) {
    List<String> lines = new ArrayList<>();
    lines.add("%s  %s risk  %s".formatted(approval.id(), approval.risk().word(), state(approval)));
    lines.add("  " + what(approval.action()));
    Map<String, Object> identity = approval.action().identity();
    add(lines, "", identity);
    if (approval.action().arguments() instanceof Map<?, ?> arguments && !arguments.isEmpty()) {
      lines.add("  arguments");
      arguments.forEach((name, value) -> add(lines, "  " + name, value));
    }
    lines.add("  asked by  " + chain(approval));
    lines.add(
        "  approved  %d of %d%s"
            .formatted(
                approval.approvers().size(),
                approval.quorum(),
                approval.approvers().isEmpty()
                    ? ""
                    : ", by " + String.join(", ", approval.approvers())));
    if (!approval.assignedTo().isEmpty()) {
      lines.add("  for  " + String.join(", ", approval.assignedTo()));
    }
    approval.conditions().forEach(condition -> lines.add("  only if  " + condition));
    lines.add("  expires  " + approval.expiresAt());
    lines.add("  digest  " + approval.digest());
    return lines.stream()
        .flatMap(line -> line.lines())
        .map(Plain::line)
        .collect(Collectors.joining("\n"));
  }

  static String state(Approval approval) {
    return approval.outcome() == null
        ? approval.state()
        : approval.state() + " (" + approval.outcome().word() + ")";
  }

  static String what(Action action) {
    return action.subject().isEmpty()
        ? action.name()
        : "%s of %s".formatted(action.name(), action.subject());
  }

  static String chain(Approval approval) {
    return approval.chain().stream().map(Asker::toString).collect(Collectors.joining(" > "));
  }

  /** A value under its name; what is nested stands below it, a command as one types it. */
  private static void add(List<String> lines, String name, @Nullable Object value) {
    switch (value) {
      case Map<?, ?> map -> {
        if (!name.isEmpty() && !map.isEmpty()) {
          lines.add("  " + name);
        }
        map.forEach((key, inner) -> add(lines, name.isEmpty() ? "" + key : "  " + key, inner));
      }
      case List<?> list when list.stream().allMatch(String.class::isInstance) ->
          lines.add("  " + name + "  " + typed(list));
      case String text when text.indexOf('\n') >= 0 -> {
        lines.add("  " + name);
        text.lines().forEach(line -> lines.add(INDENT + line));
      }
      case String text -> {
        if (!text.isEmpty()) {
          lines.add("  " + name + "  " + text);
        }
      }
      case null, default -> lines.add("  " + name + "  " + Json.text(value));
    }
  }

  /** Words as a shell would take them, so that it is seen where each begins and ends. */
  private static String typed(List<?> words) {
    return words.stream()
        .map(String::valueOf)
        .map(word ->
            word.matches("[\\p{L}\\p{N}@%+=:,./_{}*-]+")
                ? word
                : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }
}
