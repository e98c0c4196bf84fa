package dev.signalbox.systems.runs;

import dev.signalbox.definition.MachineBuilder;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.rule.RuleFile;
import dev.signalbox.services.rule.RuleItem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is risky: rules in CEL over a tool's call, those that ship and those of a plan. The worst
 * risk of all rules that hold counts, so a plan can be stricter than what ships and never milder. A
 * rule that can't be decided is as bad as one that holds and says critical.
 */
public final class Policy {
  private static final Machine FRAME =
      MachineBuilder.machine("policy").context("call", Type.ANY, Map.of()).state("JUDGED").build();
  private static final Chart CHART = Chart.compile(FRAME, CelExpressions.of(FRAME));
  private static final ExpressionCompiler.Site SITE =
      new ExpressionCompiler.Site(
          new Context.Layout(List.of("call")),
          ExpressionCompiler.Use.CONDITION,
          List.of("call"),
          List.of());

  /** The rules that ship. */
  public static final Policy STANDARD = new Policy(shipped());

  private final List<Judge> judges = new ArrayList<>();

  private record Judge(PolicyRule rule, Expression when) {}

  /**
   * What the policy says of a call.
   *
   * @param reasons why, in the order of the rules; empty for a low risk
   */
  public record Assessment(Risk risk, List<String> reasons) {
    /** Whether a person has to be asked before it runs. */
    public boolean needsApproval() {
      return risk.compareTo(Risk.HIGH) >= 0;
    }

    /** The reasons in one line. */
    public String why() {
      return String.join("; ", reasons);
    }
  }

  /**
   * @throws IllegalArgumentException when a condition is none
   */
  public Policy(List<PolicyRule> rules) {
    for (PolicyRule rule : rules) {
      try {
        judges.add(new Judge(rule, compile(rule.when())));
      } catch (ExpressionCompiler.SyntaxException e) {
        throw new IllegalArgumentException(
            "Expected the rule '%s' to have a condition, but %s"
                .formatted(rule.name(), e.getMessage()),
            e);
      }
    }
  }

  static Expression compile(String when) throws ExpressionCompiler.SyntaxException {
    return CelExpressions.of(FRAME).compile(Operand.expr(when), SITE);
  }

  /** These rules and further ones. */
  public Policy and(List<PolicyRule> more) {
    List<PolicyRule> all = new ArrayList<>(judges.stream().map(Judge::rule).toList());
    all.addAll(more);
    return new Policy(all);
  }

  public List<PolicyRule> rules() {
    return judges.stream().map(Judge::rule).toList();
  }

  /**
   * The risk of a tool of a plan together with that of its undo: nobody can be asked while a run is
   * rolled back, so whoever approves the tool approves what takes it back.
   */
  public Assessment assessWhole(String project, String environment, ToolPlan tool) {
    Assessment own = assess(project, environment, tool);
    ToolPlan undo = tool.undo();
    if (undo == null) {
      return own;
    }
    // What an environment lets happen by itself is said of the tool, whose changes it takes back.
    Assessment back = assess(project, environment, undo.accessing(tool.access()));
    List<String> reasons = new ArrayList<>(own.reasons());
    back.reasons().stream()
        .filter(reason -> !own.reasons().contains(reason))
        .forEach(reason -> reasons.add("its undo: " + reason));
    return new Assessment(
        back.risk().compareTo(own.risk()) > 0 ? back.risk() : own.risk(), reasons);
  }

  /** The risk of a tool of a plan, without its undo. */
  public Assessment assess(String project, String environment, ToolPlan tool) {
    Map<String, Object> call = call(project, environment, tool);
    Risk worst = tool.risk();
    List<String> reasons = new ArrayList<>();
    if (worst.compareTo(Risk.HIGH) >= 0) {
      reasons.add("the plan says that its risk is " + worst.word());
    }
    for (Judge judge : judges) {
      Risk risk = risk(judge, call, reasons);
      worst = risk.compareTo(worst) > 0 ? risk : worst;
    }
    return new Assessment(worst, reasons);
  }

  private static Risk risk(Judge judge, Map<String, Object> call, List<String> reasons) {
    PolicyRule rule = judge.rule;
    try {
      if (!test(judge.when, call)) {
        return Risk.LOW;
      }
      reasons.add(rule.because());
      return rule.risk();
    } catch (EvaluationException e) {
      reasons.add("the rule '%s' can't be decided: %s".formatted(rule.name(), e.getMessage()));
      return Risk.CRITICAL;
    }
  }

  /** Whether a condition holds for a call. */
  static boolean test(Expression when, Map<String, Object> call) {
    return when.test(scope(call));
  }

  private static Scope scope(Map<String, Object> call) {
    if (Kernel.start(CHART, "call", null, Map.of("call", call), 0) instanceof Step step) {
      Snapshot snapshot = step.after();
      return new Scope(CHART, "call", snapshot.configuration(), snapshot.context(), null, 0);
    }
    throw new IllegalStateException("Expected a call to be JSON values.");
  }

  /** What rules see. */
  static Map<String, Object> call(String project, String environment, ToolPlan tool) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("name", tool.name());
    call.put("kind", tool.kind().word());
    call.put("access", tool.access().word());
    call.put("environment", environment);
    call.put("project", project);
    call.put("arguments", tool.arguments());
    call.put("another_tenant", reachesAnother(tool.arguments().get("tenant"), project));
    call.put("writes", tool.writes());
    call.put("risks", tool.risks());
    call.put("idempotent", tool.idempotent());
    call.put("timeout_ms", tool.timeout().toMillis());
    call.put("network", tool.isNetworked());
    call.put("command", listOf(tool.spec().get("command")));
    call.put("method", textOf(tool.spec().get("method")));
    call.put("url", textOf(tool.spec().get("url")));
    call.put("server", textOf(tool.spec().get("server")));
    call.put("tool", textOf(tool.spec().get("tool")));
    call.put("handler", textOf(tool.spec().get("handler")));
    List<String> words = new ArrayList<>();
    words(tool.name(), words);
    words(tool.spec(), words);
    words(tool.arguments(), words);
    call.put("words", words.stream().distinct().toList());
    return call;
  }

  /** Whether a tenant is named that is not the project's, however its letters are written. */
  private static boolean reachesAnother(@Nullable Object tenant, String project) {
    return tenant != null
        && !(tenant instanceof String name
            && name.matches("[A-Za-z0-9_-]+")
            && name.equalsIgnoreCase(project));
  }

  private static List<?> listOf(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private static String textOf(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }

  /** Every word of every text, in lower case; the last part of a path is a word of its own. */
  private static void words(@Nullable Object value, List<String> words) {
    switch (value) {
      case String text -> {
        for (String word : text.toLowerCase(Locale.ROOT).split("[\\s;&|()'\"=,]+")) {
          if (!word.isEmpty()) {
            words.add(word);
            int slash = word.lastIndexOf('/');
            if (slash >= 0 && slash + 1 < word.length()) {
              words.add(word.substring(slash + 1));
            }
          }
        }
      }
      case List<?> list -> list.forEach(each -> words(each, words));
      case Map<?, ?> map -> map.values().forEach(each -> words(each, words));
      case null, default -> {}
    }
  }

  private static List<PolicyRule> shipped() {
    try (InputStream in = Policy.class.getResourceAsStream("policy.yaml")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return read(new Source("policy.yaml", text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The rules of a YAML text: a list below {@code policy}.
   *
   * @throws dev.signalbox.definition.DefinitionException with every problem
   */
  public static List<PolicyRule> read(Source source) {
    return RuleFile.read(source, "policy", Policy::rule);
  }

  static @Nullable PolicyRule rule(RuleItem item) {
    String name = item.named();
    String when = item.required("when");
    Risk risk = item.word("risk", Risk.class);
    String because = item.text("because");
    try {
      compile(when);
    } catch (ExpressionCompiler.SyntaxException e) {
      if (item.has("when")) {
        item.error("expression", "when", String.valueOf(e.getMessage()));
      }
      return null;
    }
    return risk == null
        ? null
        : new PolicyRule(name, when, risk, because == null ? "of the rule " + name : because);
  }
}
