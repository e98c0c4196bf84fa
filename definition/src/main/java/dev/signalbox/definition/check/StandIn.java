package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Operand;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value that the kernel must have in a certain form (a list, a delay, a name): where it is
 * unknown, one that stands in for it.
 */
final class StandIn implements Expression {
  /** The delay of a timer whose delay is unknown; nothing is concluded from it. */
  static final long UNKNOWN_DELAY = 987_654_321_987L;

  /** How the expression of a receiver begins that is an instance, by whatever id. */
  private static final String TO_INSTANCE = "'#_scxml_' + ";

  private static final Pattern OWN_ID = Pattern.compile("(?<![\\w.])id(?![\\w(])");

  /** The receiver of a message that goes somewhere unknown. */
  private static final String ELSEWHERE = "#_scxml_(unknown)";

  private final Valued inner;
  private final Content.Use use;
  private final @Nullable List<String> names;
  private final Judgement judgement;
  private final List<String> eventNames;
  private final Consumer<String> notes;

  /**
   * @param names those that the machine writes, where only who the value names matters; else null
   * @param eventNames the events a computed name may mean
   * @param notes takes what is not seen exactly
   */
  StandIn(
      Valued inner,
      Content.Use use,
      @Nullable List<String> names,
      Judgement judgement,
      List<String> eventNames,
      Consumer<String> notes) {
    this.inner = inner;
    this.use = use;
    this.names = names;
    this.judgement = judgement;
    this.eventNames = eventNames;
    this.notes = notes;
  }

  @Override
  public @Nullable Object evaluate(Scope scope) {
    Object value = inner.evaluate(scope);
    if (value != Unknown.VALUE) {
      return value;
    }
    return switch (use.role()) {
      case LIST -> list();
      case DELAY -> UNKNOWN_DELAY;
      case NAME -> name();
      case VALUE -> names == null ? value : judgement.individual(inner.term(), names, scope);
      case GUARD, BRANCH, INVARIANT -> value;
    };
  }

  private List<Object> list() {
    if (use.action() instanceof Action.Foreach loop && onlyTellsOthers(loop)) {
      return judgement.choose(2) == 0 ? List.of() : List.of(Unknown.VALUE);
    }
    notes.accept(
        "a loop over a list that is not known was tried with no, one and two items: "
            + use.expr().text());
    List<Object> items = new ArrayList<>();
    for (int i = judgement.choose(3); i > 0; i--) {
      items.add(Unknown.VALUE);
    }
    return items;
  }

  /**
   * Whether nothing of this machine changes however often the loop goes round: it sends to others
   * at once, and does nothing else. What it sends to itself after all may come from elsewhere just
   * as well.
   */
  private boolean onlyTellsOthers(Action.Foreach loop) {
    return judgement.isStrict()
        && loop.body().stream()
            .allMatch(action ->
                action instanceof Action.Send send
                    && send.target() instanceof Operand.Expr(String target)
                    && target.startsWith(TO_INSTANCE)
                    && send.type() == null
                    && send.delay() == null
                    && send.id() == null
                    && send.idLocation() == null);
  }

  private Object name() {
    return switch (use.action()) {
      case Action.Raise _ -> eventName();
      case Action.Send send ->
          use.expr() == send.event()
              ? isToInstance(send) ? Alphabet.ANY_OTHER : eventName()
              : use.expr() == send.target() ? target() : "scxml";
      case null, default -> "(unknown)";
    };
  }

  /** Whether it goes to an instance by an id that is not written as the sender's own. */
  private boolean isToInstance(Action.Send send) {
    return judgement.isStrict()
        && send.target() instanceof Operand.Expr(String target)
        && target.startsWith(TO_INSTANCE)
        && !OWN_ID.matcher(target).find();
  }

  /** What it may send to itself is followed as an echo. */
  private String target() {
    if (judgement.isStrict()) {
      return ELSEWHERE;
    }
    notes.accept(
        "a target that is not known was tried as nobody's and as the sender's own: "
            + use.expr().text());
    return judgement.choose(2) == 0 ? ELSEWHERE : "#_scxml_" + Explorer.INSTANCE;
  }

  private String eventName() {
    return eventNames.get(judgement.choose(eventNames.size()));
  }
}
