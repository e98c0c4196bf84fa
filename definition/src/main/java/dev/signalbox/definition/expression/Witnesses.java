package dev.signalbox.definition.expression;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Conformance;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Proposes events that may make guards true, and false: the model checker tries them where it can't
 * tell what an event may bring.
 *
 * <p>The proposals come from the guards themselves (the literals they compare with, the sizes they
 * ask for, the values in the context they are held against) and respect the declared types. They
 * are guesses, few and in a good order; that no proposal makes a guard true proves nothing.
 */
public final class Witnesses {
  /** The most candidates for one event. */
  public static final int MOST = 64;

  private static final int MOST_TRIED = 128;
  private static final int MOST_CACHED = 10_000;

  private final Declarations declared;
  private final Map<String, Optional<Node>> nodes = new ConcurrentHashMap<>();

  private Witnesses(Declarations declared) {
    this.declared = declared;
  }

  public static Witnesses of(Machine machine) {
    return new Witnesses(Declarations.of(machine));
  }

  /**
   * An event that could be sent.
   *
   * @param data a JSON value, usually a map
   */
  public record Candidate(Object data, Actor actor) {

    public Event event(String name) {
      return Event.external(name, data, actor);
    }
  }

  /**
   * Candidates for the event, the most promising first: for each condition one that is meant to
   * make it true comes early, then those that differ in one thing, then in two.
   *
   * @param conditions the guards that the event is held against; whatever else is evaluated when it
   *     is taken may be added behind them, so that the event brings what that reads
   * @param event the event's name
   * @param scope gives the values of the context, of which some may be {@link Unknown#VALUE}
   */
  public List<Candidate> candidates(List<Operand.Expr> conditions, String event, Scope scope) {
    EventType type =
        declared.events().stream().filter(e -> e.name().equals(event)).findFirst().orElse(null);
    List<Node> asked = new ArrayList<>();
    for (Operand.Expr condition : conditions) {
      node(condition.text(), scope.context().layout()).ifPresent(asked::add);
    }
    List<Map<Path, List<Choice>>> demands = new ArrayList<>();
    for (Node node : asked) {
      Demands found = new Demands(n -> worth(n, scope));
      found.condition(node, true);
      demands.add(found.choices());
    }
    Set<Candidate> raw = assembled(demands, type);
    return best(List.copyOf(raw), asked, event, scope);
  }

  /** The tree of the text; nothing when it is none, of which the checks tell. */
  private Optional<Node> node(String text, Context.Layout layout) {
    Optional<Node> known = nodes.get(text);
    if (known != null) {
      return known;
    }
    Optional<Node> read = Optional.empty();
    try {
      Site site = new Site(layout, Use.VALUE, List.of(), List.of());
      read = Optional.of(Folding.fold(NodeReader.read(text, new Names(declared, site))));
    } catch (SyntaxException e) {
      // Stays empty.
    }
    if (nodes.size() < MOST_CACHED) {
      nodes.put(text, read);
    }
    return read;
  }

  private @Nullable Object worth(Node node, Scope scope) {
    AbstractEvaluation evaluation =
        new AbstractEvaluation(scope, declared, new Frame(CelExpression.depth(node)));
    return node.isForeign() ? Unknown.VALUE : evaluation.value(node, null);
  }

  private Set<Candidate> assembled(
      List<Map<Path, List<Choice>>> demands, @Nullable EventType type) {
    Map<Path, List<Choice>> all = union(demands);
    Assembly assembly = new Assembly(all.keySet(), type);
    Set<Candidate> result = new LinkedHashSet<>();
    List<Map<Path, Choice>> bases = new ArrayList<>();
    for (Map<Path, List<Choice>> demand : demands) {
      Map<Path, Choice> base = firsts(all);
      base.putAll(firsts(demand));
      bases.add(base);
    }
    bases.add(firsts(all));
    bases.forEach(base -> keep(assembly, base, type, result));
    for (Map<Path, Choice> base : bases) {
      vary(base, all, 1, varied -> keep(assembly, varied, type, result));
    }
    for (Map<Path, Choice> base : bases) {
      vary(base, all, 2, varied -> keep(assembly, varied, type, result));
    }
    return result;
  }

  private static Map<Path, List<Choice>> union(List<Map<Path, List<Choice>>> demands) {
    Map<Path, List<Choice>> all = new LinkedHashMap<>();
    for (Map<Path, List<Choice>> demand : demands) {
      demand.forEach((path, choices) -> {
        List<Choice> known = all.computeIfAbsent(path, _ -> new ArrayList<>());
        choices.stream().filter(c -> !known.contains(c)).forEach(known::add);
      });
    }
    return all;
  }

  private static Map<Path, Choice> firsts(Map<Path, List<Choice>> choices) {
    Map<Path, Choice> firsts = new LinkedHashMap<>();
    choices.forEach((path, each) -> firsts.put(path, each.getFirst()));
    return firsts;
  }

  /** Receives one assignment of choices. */
  private interface Taker {
    boolean take(Map<Path, Choice> choices);
  }

  /** Everything that differs from the base in at most that many paths, until one is refused. */
  private static boolean vary(
      Map<Path, Choice> base, Map<Path, List<Choice>> all, int depth, Taker taker) {
    for (Map.Entry<Path, List<Choice>> entry : all.entrySet()) {
      for (Choice choice : entry.getValue()) {
        if (choice.equals(base.get(entry.getKey()))) {
          continue;
        }
        Map<Path, Choice> varied = new LinkedHashMap<>(base);
        varied.put(entry.getKey(), choice);
        boolean more = depth == 1 ? taker.take(varied) : vary(varied, all, depth - 1, taker);
        if (!more) {
          return false;
        }
      }
    }
    return true;
  }

  /** Keeps what fits the declared type; answers whether there is room for more. */
  private static boolean keep(
      Assembly assembly,
      Map<Path, Choice> choices,
      @Nullable EventType type,
      Set<Candidate> result) {
    Candidate candidate = assembly.candidate(choices);
    if (type == null
        || type.data() == null
        || Conformance.fault(type.data(), candidate.data(), "event") == null) {
      result.add(candidate);
    }
    return result.size() < MOST_TRIED;
  }

  /** Those that show something new about a condition first, then the others in their order. */
  private List<Candidate> best(List<Candidate> raw, List<Node> nodes, String name, Scope scope) {
    Set<List<Object>> seen = new HashSet<>();
    List<Candidate> first = new ArrayList<>();
    List<Candidate> rest = new ArrayList<>();
    for (Candidate candidate : raw) {
      Scope here =
          new Scope(
              scope.chart(),
              scope.instance(),
              scope.configuration(),
              scope.context(),
              candidate.event(name),
              scope.now());
      boolean news = false;
      for (int i = 0; i < nodes.size(); i++) {
        news |= seen.add(List.of(i, answer(nodes.get(i), here)));
      }
      (news ? first : rest).add(candidate);
    }
    first.addAll(rest);
    return List.copyOf(first.subList(0, Math.min(MOST, first.size())));
  }

  private Object answer(Node node, Scope scope) {
    try {
      Object value = worth(node, scope);
      return value instanceof Boolean truth ? truth : "other";
    } catch (EvaluationException e) {
      return "fails";
    }
  }
}
