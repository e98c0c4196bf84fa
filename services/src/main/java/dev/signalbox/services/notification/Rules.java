package dev.signalbox.services.notification;

import dev.signalbox.definition.Source;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.services.rule.RuleFile;
import dev.signalbox.services.rule.RuleItem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** Makes notifications of entries: the same entry always gives the same ones. */
public final class Rules {
  /** Machines that nobody is told of, because telling would cause more of the same. */
  static final Set<String> SILENT = Set.of("subscription", "delivery");

  private final List<Rule> rules;

  public Rules(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /**
   * The rules of a YAML text: a list below {@code notifications}.
   *
   * @throws dev.signalbox.definition.DefinitionException with every problem
   */
  public static Rules read(Source source) {
    return new Rules(RuleFile.read(source, "notifications", Rules::rule));
  }

  private static @Nullable Rule rule(RuleItem item) {
    String name = item.named();
    Audience audience = item.word("audience", Audience.class);
    Rule.Occasion on = item.word("on", Rule.Occasion.class);
    List<String> names = item.texts("names");
    List<String> machines = item.texts("machines");
    String text = item.text("text");
    return audience == null || on == null
        ? null
        : new Rule(name, audience, on, names, machines, text == null ? "{what}" : text);
  }

  /** What is told where nobody says otherwise. */
  public static Rules standard() {
    return new Rules(
        List.of(
            new Rule(
                "ended",
                Audience.USER,
                Rule.Occasion.ENDED,
                List.of(),
                List.of(),
                "{instance} ended in {states}."),
            new Rule(
                "trouble",
                Audience.USER,
                Rule.Occasion.ENTERED,
                List.of(
                    "FAILED*",
                    "failed*",
                    "HALT*",
                    "ERROR*",
                    "error*",
                    "TIMEOUT",
                    "UNSAFE",
                    "QUARANTINED",
                    "CRASHED"),
                List.of(),
                "{instance} came into {what}."),
            new Rule(
                "session",
                Audience.USER,
                Rule.Occasion.ENTERED,
                List.of(),
                List.of("*.session"),
                "The session {instance} is in {what}."),
            new Rule(
                "selected",
                Audience.USER,
                Rule.Occasion.ENTERED,
                List.of("SELECTED"),
                List.of(),
                "{instance} was selected."),
            new Rule(
                "asked",
                Audience.USER,
                Rule.Occasion.RECORD,
                List.of(
                    "approval.requested",
                    "approval.reminder",
                    "task.dead_letter",
                    "budget.warned",
                    "budget.overrun",
                    "budget.exhausted",
                    "budget.replenished"),
                List.of(),
                "{instance}: {what}."),
            new Rule(
                "alert",
                Audience.USER,
                Rule.Occasion.RECORD,
                List.of("alert.*"),
                List.of("alert"),
                "{instance}: {what}."),
            new Rule(
                "corrected",
                Audience.USER,
                Rule.Occasion.CORRECTED,
                List.of(),
                List.of(),
                "A sweep corrected {instance}: {what}."),
            new Rule(
                "step",
                Audience.SYSTEM,
                Rule.Occasion.STEP,
                List.of(),
                List.of(),
                "{instance} is in {states} by {event}."),
            new Rule(
                "timer",
                Audience.SYSTEM,
                Rule.Occasion.TIMER,
                List.of(),
                List.of(),
                "Timer {event} of {instance} fired."),
            new Rule(
                "warning",
                Audience.SYSTEM,
                Rule.Occasion.RECORD,
                List.of("*.warned"),
                List.of(),
                "{instance}: {what}."),
            new Rule(
                "refused",
                Audience.SYSTEM,
                Rule.Occasion.REFUSED,
                List.of(),
                List.of(),
                "{instance} refused {event}: {what}."),
            new Rule(
                "audit-step",
                Audience.AUDIT,
                Rule.Occasion.STEP,
                List.of(),
                List.of(),
                "{actor} caused {event}; {instance} is in {states}."),
            new Rule(
                "audit-refused",
                Audience.AUDIT,
                Rule.Occasion.REFUSED,
                List.of(),
                List.of(),
                "{actor} was refused {event} by {instance}: {what}.")));
  }

  public List<Rule> list() {
    return rules;
  }

  /** Everything that somebody is told of an entry, in the order of the rules. */
  public List<Notification> of(FeedEntry entry) {
    if (entry.isArchived() || SILENT.contains(entry.machine())) {
      return List.of();
    }
    List<Notification> told = new ArrayList<>();
    for (Rule rule : rules) {
      if (rule.wants(entry.machine())) {
        apply(rule, entry, told);
      }
    }
    return told;
  }

  private static void apply(Rule rule, FeedEntry entry, List<Notification> told) {
    switch (rule.on()) {
      case RECORD -> {
        for (FeedEntry.Emitted record : entry.records()) {
          if (rule.names(record.kind())) {
            tell(rule, entry, told, record.kind(), record.kind(), with("data", record.data()));
          }
        }
      }
      case ENTERED -> {
        for (String state : entered(entry)) {
          if (rule.names(state)) {
            tell(rule, entry, told, "entered", state, with("state", state));
          }
        }
      }
      case STEP -> {
        if (!entry.isRefusal() && rule.names(entry.eventName())) {
          tell(rule, entry, told, "step", entry.eventName(), Map.of());
        }
      }
      case TIMER -> {
        if (entry.kind().equals("timer") && rule.names(entry.eventName())) {
          tell(rule, entry, told, "timer", entry.eventName(), Map.of());
        }
      }
      case REFUSED -> {
        if (entry.isRefusal() && rule.names(entry.code())) {
          tell(rule, entry, told, "refused", entry.code(), with("code", entry.code()));
        }
      }
      case ENDED -> {
        if (entry.isEnd()) {
          tell(rule, entry, told, "ended", String.join(", ", entry.states()), Map.of());
        }
      }
      case CORRECTED -> {
        if (!entry.isRefusal() && actorRoles(entry).contains("sweep")) {
          Map<String, @Nullable Object> event = entry.event();
          Object reason = event.get("data") instanceof Map<?, ?> data ? data.get("reason") : null;
          tell(
              rule,
              entry,
              told,
              "corrected",
              reason == null ? entry.eventName() : String.valueOf(reason),
              Map.of());
        }
      }
    }
  }

  private static void tell(
      Rule rule,
      FeedEntry entry,
      List<Notification> told,
      String type,
      String what,
      Map<String, @Nullable Object> more) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("kind", entry.kind());
    data.put("event", entry.eventName());
    data.put("states", entry.states());
    data.put("actor", actor(entry));
    data.putAll(more);
    int index = told.size();
    told.add(
        new Notification(
            NotificationId.of(entry.hash(), rule.name(), count(told, rule)),
            new Cursor(entry.position(), index),
            rule.name(),
            rule.audience(),
            type,
            entry.instance(),
            entry.machine(),
            entry.sequence(),
            entry.at(),
            text(rule, entry, what),
            data));
  }

  /** How many the rule has told already; other rules must not change an id. */
  private static int count(List<Notification> told, Rule rule) {
    return (int) told.stream().filter(t -> t.rule().equals(rule.name())).count();
  }

  private static Map<String, @Nullable Object> with(String name, @Nullable Object value) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put(name, value);
    return map;
  }

  private static Set<String> entered(FeedEntry entry) {
    Set<String> states = new LinkedHashSet<>();
    if (entry.body().get("microsteps") instanceof List<?> microsteps) {
      for (Object microstep : microsteps) {
        if (microstep instanceof Map<?, ?> map && map.get("entered") instanceof List<?> names) {
          names.forEach(name -> states.add(String.valueOf(name)));
        }
      }
    }
    return states;
  }

  private static Map<String, @Nullable Object> actor(FeedEntry entry) {
    Map<String, @Nullable Object> actor = new LinkedHashMap<>();
    if (entry.event().get("actor") instanceof Map<?, ?> map) {
      actor.put("kind", map.get("kind"));
      actor.put("name", map.get("name"));
    } else {
      actor.put("kind", entry.kind().equals("timer") ? "timer" : "system");
      actor.put("name", entry.kind());
    }
    return actor;
  }

  private static List<?> actorRoles(FeedEntry entry) {
    return entry.event().get("actor") instanceof Map<?, ?> map
            && map.get("roles") instanceof List<?> roles
        ? roles
        : List.of();
  }

  private static String text(Rule rule, FeedEntry entry, String what) {
    Matcher matcher = Rule.PLACEHOLDER.matcher(rule.text());
    return matcher.replaceAll(found ->
        Matcher.quoteReplacement(
            switch (found.group(1)) {
              case "instance" -> entry.instance();
              case "machine" -> entry.machine();
              case "states" -> String.join(", ", entry.states());
              case "event" -> entry.eventName();
              case "actor" -> String.valueOf(actor(entry).get("name"));
              default -> what;
            }));
  }
}
