package dev.signalbox.systems.runs;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.ExactJson;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.rule.RuleFile;
import dev.signalbox.services.rule.RuleItem;
import dev.signalbox.services.tool.Program;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a plan from YAML. Every problem is found at once, with its place. */
public final class PlanReader {
  private static final int MOST_TOOLS = 200;

  private static final List<String> ACCESSES = List.of("write", "test", "read");

  private final Path base;
  private final Map<String, Access> needed;
  private final Set<String> names = new HashSet<>();
  private RunLimits limits = RunLimits.STANDARD;
  private Approvers approvers = Approvers.ANY;

  private PlanReader(Path base, Map<String, Access> needed) {
    this.base = base.toAbsolutePath().normalize();
    this.needed = needed;
  }

  /**
   * The plan of a YAML text.
   *
   * @param base what a relative folder is relative to
   * @throws dev.signalbox.definition.DefinitionException with every problem
   */
  public static Plan read(Source source, Path base) {
    return RuleFile.document(source, "plan", new PlanReader(base, Map.of())::plan);
  }

  /**
   * The tool book of a frozen plan: a plan whose tools are named by command ids.
   *
   * @param needed the access that the tool of a command needs, which it has where it says nothing
   * @throws dev.signalbox.definition.DefinitionException with every problem
   */
  static Plan book(Source source, Path base, Map<String, Access> needed) {
    return RuleFile.document(source, "tool book", new PlanReader(base, needed)::plan);
  }

  private @Nullable Plan plan(RuleItem item) {
    String project = project(item);
    Path folder = folder(item);
    String environment = item.choice("environment", "dev", List.of("dev", "staging", "prod"));
    String approval = item.choice("approval", "policy", List.of("policy", "person"));
    approvers = Objects.requireNonNullElse(approvers(item), Approvers.ANY);
    limits =
        Objects.requireNonNullElse(
            item.map("limits", "limits", PlanReader::limits), RunLimits.STANDARD);
    List<PolicyRule> policy = item.maps("policy", "rule", Policy::rule);
    List<ToolPlan> tools = item.maps("tools", "tool", this::tool);
    List<ToolPlan> checks = item.maps("checks", "check", this::check);
    Map<String, ToolPlan> auditors = new LinkedHashMap<>();
    if (item.has("auditors")) {
      item.map("auditors", "list of auditors", each -> auditors(each, auditors));
    }
    counted(item, "tools", tools.size());
    counted(item, "checks", checks.size());
    Plan plan =
        new Plan(
            project,
            folder,
            environment,
            approval.equals("policy"),
            approvers,
            limits,
            policy,
            tools,
            checks,
            auditors);
    int length = CanonicalJson.text(plan.frozen(Policy.STANDARD)).length();
    if (length > Plan.LARGEST) {
      item.error(
          "too-large",
          item.place(),
          "Expected a plan of at most %,d bytes, but it has %,d.".formatted(Plan.LARGEST, length),
          "Put what is long into files of the folder.");
    }
    return plan;
  }

  private static String project(RuleItem item) {
    String name = item.required("project").toUpperCase(Locale.ROOT);
    if (item.has("project") && !name.matches("[A-Z][A-Z0-9_-]{0,39}")) {
      item.error(
          "bad-name",
          "project",
          "Expected a project of at most 40 letters, digits, '_' and '-', but found '%s'."
              .formatted(name));
    }
    return name;
  }

  private Path folder(RuleItem item) {
    String text = item.text("folder");
    Path folder = base.resolve(path(item, "folder", text == null ? "." : text)).normalize();
    if (!Files.isDirectory(folder)) {
      item.error(
          "no-folder",
          item.place("folder"),
          "Expected the folder '%s' to be there, but it is not.".formatted(folder),
          "A relative folder is relative to the plan's file.");
    }
    return folder;
  }

  /** The path that a text of the field says; one that can't be is told. */
  private static Path path(RuleItem item, String key, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      item.error(
          "bad-value",
          key,
          "Expected '%s' to be a path, but it can't be one: %s.".formatted(key, e.getReason()));
      return Path.of(".");
    }
  }

  /** Those of the plan or of one of its tools; null where it says none. */
  private @Nullable Approvers approvers(RuleItem item) {
    return item.map("approvers", "list of approvers", each -> Approvers.read(each, approvers));
  }

  private static RunLimits limits(RuleItem item) {
    RunLimits standard = RunLimits.STANDARD;
    return new RunLimits(
        item.whole("model_calls", standard.modelCalls(), 0, 1_000_000),
        item.whole("tokens", standard.tokens(), 0, 1_000_000_000),
        item.whole("files", standard.files(), 0, 100_000),
        item.whole("minutes", standard.minutes(), 1, 30),
        item.whole("retries", standard.retries(), 0, 10),
        item.whole("tools_at_a_time", standard.toolsAtATime(), 1, RunLimits.MOST_TOGETHER));
  }

  private static void counted(RuleItem item, String key, int count) {
    if (count == 0 || count > MOST_TOOLS) {
      item.error(
          item.has(key) ? "wrong-type" : "missing-key",
          item.place(key),
          "Expected the plan to have 1 to %d %s, but it has %d.".formatted(MOST_TOOLS, key, count),
          key.equals("checks")
              ? "A run is verified before it is complete: name at least one command that must pass."
              : "");
    }
  }

  private @Nullable Void auditors(RuleItem item, Map<String, ToolPlan> auditors) {
    for (String auditor : Plan.AUDITORS) {
      ToolPlan tool =
          item.map(
              auditor, "auditor", each -> tool(each, auditor, List.of("read"), AuditWork.TOLD));
      if (tool != null) {
        auditors.put(auditor, tool);
      }
    }
    return null;
  }

  private @Nullable ToolPlan tool(RuleItem item) {
    String name = named(item);
    Access need = needed.get(name);
    ToolPlan tool =
        tool(item, name, need == Access.READ ? ACCESSES.reversed() : ACCESSES, Map.of());
    if (tool != null && need == Access.WRITE && tool.access() != Access.WRITE) {
      item.error(
          "access-too-mild",
          item.place("access"),
          "Expected the tool '%s' to write, as the effects of its action say, but it says %s."
              .formatted(name, tool.access().word()),
          "Say access: write, or leave access out.");
    }
    return tool;
  }

  private @Nullable ToolPlan check(RuleItem item) {
    String name = named(item);
    // What is kept of a check is kept under this name.
    claim(item, "check." + name);
    return tool(item, name, List.of("test", "read"), Map.of());
  }

  /** A name that no other tool or check of the plan has. */
  private String named(RuleItem item) {
    String name = item.named();
    claim(item, name);
    return name;
  }

  private void claim(RuleItem item, String name) {
    if (!names.add(name) && !name.isEmpty()) {
      item.error(
          "duplicate-name",
          item.place("name"),
          "Expected every tool and check to have a name of its own, but '%s' is there twice."
              .formatted(name),
          "A check 'x' is also 'check.x', and the undo of a tool 'x' is 'x.undo'.");
    }
  }

  /**
   * A tool.
   *
   * @param accesses what it may do, the usual first; one that may write has everything that belongs
   *     to that
   * @param told arguments that it is given besides those of the plan
   */
  private @Nullable ToolPlan tool(
      RuleItem item, String name, List<String> accesses, Map<String, Object> told) {
    boolean whole = accesses.contains(Access.WRITE.word());
    ToolKinds.Made made = ToolKinds.read(item);
    Map<String, Object> arguments = item.values("arguments");
    Access access = Access.of(item.choice("access", accesses.getFirst(), accesses));
    List<String> writes = whole ? writes(item, access) : List.of();
    ToolPlan undo = whole ? undo(item, name, access) : null;
    boolean idempotent = !whole || item.flag("idempotent", access != Access.WRITE);
    Duration timeout = timeout(item);
    long output = item.whole("output_bytes", 1 << 20, 1, 16 << 20);
    long retries = whole ? item.whole("retries", 0, 0, limits.retries()) : 0;
    Risk risk =
        Risk.valueOf(
            item.choice("risk", "low", List.of("low", "medium", "high", "critical"))
                .toUpperCase(Locale.ROOT));
    List<String> risks = item.texts("risks");
    boolean asks = !whole || item.choice("on_unknown", "ask", List.of("ask", "halt")).equals("ask");
    Approvers approving = whole ? approvers(item) : null;
    Map<String, Object> exact = exact(item, arguments);
    if (made == null || exact == null) {
      return null;
    }
    fitting(item, made, exact, told);
    return new ToolPlan(
        name,
        made.kind(),
        made.spec(),
        exact,
        access,
        writes,
        undo,
        idempotent,
        timeout,
        output,
        retries,
        risk,
        risks,
        asks,
        approving);
  }

  private static Duration timeout(RuleItem item) {
    Duration timeout = item.duration("timeout", Duration.ofMinutes(5));
    if (timeout.toMillis() < 1 || timeout.compareTo(Duration.ofMinutes(30)) > 0) {
      item.error(
          "bad-duration", "timeout", "Expected a timeout of more than nothing and at most 30m.");
      return Duration.ofMinutes(5);
    }
    return timeout;
  }

  /** The arguments as they are kept; null when they can't be. */
  private static @Nullable Map<String, Object> exact(RuleItem item, Map<String, Object> arguments) {
    try {
      return ExactJson.fields(arguments);
    } catch (IllegalArgumentException e) {
      item.error("bad-value", "arguments", String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** Whether what the command has places for is there, so that nobody finds out in the middle. */
  private static void fitting(
      RuleItem item, ToolKinds.Made made, Map<String, Object> exact, Map<String, Object> told) {
    if (made.kind() != ToolPlan.Kind.COMMAND) {
      return;
    }
    List<String> command = Form.texts(made.spec(), "command");
    if (command.isEmpty() || command.getFirst().isBlank()) {
      return;
    }
    Map<String, Object> all = new LinkedHashMap<>(told);
    all.putAll(exact);
    try {
      Program.of(command).filled(all);
    } catch (IllegalArgumentException e) {
      item.error(
          "bad-value",
          item.place("command"),
          String.valueOf(e.getMessage()),
          "{name} in a command is the place of an argument; give it below 'arguments'.");
    }
  }

  private static List<String> writes(RuleItem item, Access access) {
    List<String> writes = item.texts("writes");
    if (access == Access.READ && !writes.isEmpty()) {
      item.error(
          "wrong-value",
          item.place("writes"),
          "Expected a tool that only reads to write nothing, but it names files.",
          "Say access: write, or leave writes out.");
    }
    for (String file : writes) {
      Path path =
          path(item, "writes", file.endsWith("/**") ? file.substring(0, file.length() - 3) : file);
      if (file.isEmpty() || path.isAbsolute() || path.normalize().startsWith("..")) {
        item.error(
            "bad-value",
            "writes",
            "Expected files inside the plan's folder, but found '%s'.".formatted(file));
      }
    }
    return writes;
  }

  /** What takes changes back: the backup alone, or a tool before it. */
  private @Nullable ToolPlan undo(RuleItem item, String name, Access access) {
    if (!item.has("undo")) {
      return null;
    }
    Place place = item.place("undo");
    if (access == Access.READ) {
      item.error("wrong-value", place, "Expected a tool that only reads to have no undo.", "");
    }
    if (item.isText("undo")) {
      item.choice("undo", "restore", List.of("restore"));
      return null;
    }
    claim(item, name + ".undo");
    return item.map("undo", "undo", each -> undo(each, name + ".undo"));
  }

  private static @Nullable ToolPlan undo(RuleItem item, String name) {
    ToolKinds.Made made = ToolKinds.read(item);
    Map<String, Object> exact = exact(item, item.values("arguments"));
    Duration timeout = timeout(item);
    if (made == null || exact == null) {
      return null;
    }
    fitting(item, made, exact, Map.of());
    return new ToolPlan(
        name,
        made.kind(),
        made.spec(),
        exact,
        Access.WRITE,
        List.of(),
        null,
        true,
        timeout,
        1 << 20,
        0,
        Risk.LOW,
        List.of(),
        true,
        null);
  }
}
