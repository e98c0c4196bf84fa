package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import dev.signalbox.services.approval.Risk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of an execution graph. */
public sealed interface Node {
  /** The types, as graphs write them. */
  List<String> TYPES =
      List.of("phase", "action_proposal", "decision_point", "question", "review_gate");

  String id();

  /** Where it stands in the graph's text. */
  Place place();

  /** Where a part of a workflow begins. */
  record Phase(String id, Place place) implements Node {}

  /**
   * What is to be done, by the id of a command and nothing more.
   *
   * @param effects what it does to the world; see {@link Effect}
   * @param evidence what shows that it is wanted and possible
   */
  record Action(
      String id,
      String commandId,
      String agent,
      List<Effect> effects,
      Risk risk,
      List<String> evidence,
      Place place)
      implements Node {

    public Action {
      effects = List.copyOf(effects);
      evidence = List.copyOf(evidence);
    }

    /** Whether it changes something, where it works or elsewhere; so does what says nothing. */
    public boolean isWriting() {
      return effects.isEmpty() || effects.stream().anyMatch(Effect::isWriting);
    }
  }

  /**
   * Where rules were asked.
   *
   * @param decision what they said; null when nobody has decided
   */
  record DecisionPoint(String id, @Nullable String decision, Place place) implements Node {
    /** What rules can say. */
    static final List<String> DECISIONS = List.of("allow", "deny", "warn", "require_review");
  }

  /**
   * Where people were asked.
   *
   * @param answer what they said, or the default; null when it is open
   */
  record Question(String id, @Nullable String answer, Place place) implements Node {}

  /** Where a person has to look before what comes next. */
  record ReviewGate(String id, Place place) implements Node {}

  /** Whether a person has to be asked before the next actions. */
  default boolean isReview() {
    return this instanceof ReviewGate
        || (this instanceof DecisionPoint point && "require_review".equals(point.decision()));
  }

  /** What was settled here before the plan was frozen; null where nothing is to be settled. */
  default @Nullable String settled() {
    return switch (this) {
      case DecisionPoint point -> point.decision();
      case Question question -> question.answer();
      case Phase _, Action _, ReviewGate _ -> null;
    };
  }
}
