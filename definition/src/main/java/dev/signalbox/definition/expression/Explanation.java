package dev.signalbox.definition.expression;

import dev.signalbox.definition.expression.Node.LoopKind;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says why a condition was not met: names the first part that was false and the values it saw.
 *
 * <p>The reason goes into the journal and to whoever sent the event, so the values of personal
 * fields, and whatever was computed from them, stay out of it.
 */
final class Explanation {
  private static final int MOST_ALTERNATIVES = 3;

  private final Node condition;
  private final Declarations declared;
  private final Personal personal;

  Explanation(Node condition, Declarations declared) {
    this.condition = condition;
    this.declared = declared;
    this.personal = new Personal(declared.personal());
  }

  String of(Scope scope) {
    try {
      return new Asking(scope, new Frame(CelExpression.depth(condition))).whyNot(condition);
    } catch (EvaluationException e) {
      return isFalse(condition);
    }
  }

  private static String isFalse(Node node) {
    return NodeText.of(node) + " is false";
  }

  /** One explanation in one scope. */
  private final class Asking {
    private final Scope scope;
    private final Frame frame;
    private final CodeCompiler compiler = new CodeCompiler(declared);

    Asking(Scope scope, Frame frame) {
      this.scope = scope;
      this.frame = frame;
    }

    /** Why the node is false. */
    String whyNot(Node node) {
      if (node.isForeign() && !(node instanceof Node.And)) {
        return isFalse(node);
      }
      return switch (node) {
        case Node.And and -> {
          for (Node part : parts(and)) {
            if (says(part, false)) {
              yield whyNot(part);
            }
          }
          yield isFalse(node);
        }
        case Node.Or or -> {
          List<String> reasons = new ArrayList<>();
          for (Node part : parts(or)) {
            if (reasons.size() < MOST_ALTERNATIVES) {
              reasons.add(whyNot(part));
            }
          }
          yield String.join(", and ", reasons);
        }
        case Node.Not(_, Node operand) -> whyYet(operand);
        case Node.Conditional(_, Node condition, Node then, Node otherwise) ->
            whyNot(says(condition, true) ? then : otherwise);
        case Node.SlotPresent slot -> slot.text() + " is absent";
        case Node.Present(_, Node operand, String field) ->
            NodeText.of(new Node.Select(node.at(), operand, field)) + " is absent";
        case Node.Loop loop -> loop(loop);
        case Node.Call call -> call(call);
        case Node.Constant _ -> "it is always false";
        default -> isFalse(node);
      };
    }

    /** Why the node is true, where it should not be. */
    private String whyYet(Node node) {
      return switch (node) {
        case Node.Not(_, Node operand) -> whyNot(operand);
        case Node.Or or -> {
          for (Node part : parts(or)) {
            if (says(part, true)) {
              yield whyYet(part);
            }
          }
          yield NodeText.of(node) + " is true";
        }
        case Node.SlotPresent slot -> slot.text() + " is present";
        case Node.Present(_, Node operand, String field) ->
            NodeText.of(new Node.Select(node.at(), operand, field)) + " is present";
        case Node.Call call when call.function() == Function.IN_STATE ->
            "state " + bare(call.first()) + " is active";
        case Node.Call call when call.function() == Function.IN ->
            is(call.first()) + "; expected none of " + shown(call.second());
        case Node.Call call when isComparison(call.function()) -> comparison(call, true);
        default -> NodeText.of(node) + " is true";
      };
    }

    private String call(Node.Call call) {
      return switch (call.function()) {
        case EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> comparison(call, false);
        case IN ->
            isConstant(call.second())
                ? is(call.first()) + "; expected one of " + shown(call.second())
                : shownValue(call.first()) + " is not in " + which(call.second());
        case IN_STATE -> "state " + bare(call.first()) + " is not active";
        case STARTS_WITH -> is(call.first()) + "; expected to start with " + shown(call.second());
        case ENDS_WITH -> is(call.first()) + "; expected to end with " + shown(call.second());
        case CONTAINS -> is(call.first()) + "; expected to contain " + shown(call.second());
        case MATCHES -> is(call.first()) + "; expected to match " + shown(call.second());
        default -> isFalse(call);
      };
    }

    /**
     * @param negated whether the comparison holds and should not
     */
    private String comparison(Node.Call call, boolean negated) {
      Node left = call.first();
      Node right = call.second();
      Function function = call.function();
      String sign = sign(function, negated);
      if (isConstant(right)) {
        return is(left) + "; expected " + joined(sign, shown(right));
      }
      if (isConstant(left)) {
        return is(right) + "; expected " + joined(mirrored(sign), shown(left));
      }
      String wanted = NodeText.of(left) + " " + sign + " " + NodeText.of(right);
      return is(left) + " and " + is(right) + "; expected " + wanted;
    }

    private String loop(Node.Loop loop) {
      Code range = compiler.compile(loop.range());
      List<?> items = LoopCode.items(loop, range.eval(scope, frame));
      Code body = compiler.compile(loop.body());
      String text = NodeText.of(loop.body());
      String list = NodeText.of(loop.range());
      int met = 0;
      for (Object item : items) {
        frame.set(loop.variable().index(), item);
        boolean holds = body.test(scope, frame);
        if (!holds && loop.kind() == LoopKind.ALL) {
          return "%s is false for %s in %s"
              .formatted(text, personal.shown(loop.range(), item), list);
        }
        met += holds ? 1 : 0;
      }
      return loop.kind() == LoopKind.EXISTS
          ? text + " is false for every item of " + which(loop.range())
          : text + " is true for " + met + " items of " + list + "; expected one";
    }

    private boolean says(Node node, boolean wanted) {
      try {
        return !node.isForeign() && compiler.compile(node).test(scope, frame) == wanted;
      } catch (EvaluationException e) {
        return false;
      }
    }

    /** {@code ctx.x is 3}. */
    private String is(Node node) {
      return isConstant(node)
          ? shown(node)
          : NodeText.of(node) + " is " + personal.shown(node, value(node));
    }

    /** {@code ctx.x, which is 3}. */
    private String which(Node node) {
      return NodeText.of(node) + ", which is " + personal.shown(node, value(node));
    }

    /** The text of a constant; of anything else the text and the value. */
    private String shown(Node node) {
      return isConstant(node) ? NodeText.of(node) : which(node);
    }

    /** The value alone where the text says no more. */
    private String shownValue(Node node) {
      return isConstant(node) ? NodeText.of(node) : which(node) + ",";
    }

    private String bare(Node node) {
      return node instanceof Node.Constant(_, String text) ? NodeText.clip(text) : which(node);
    }

    private @Nullable Object value(Node node) {
      return compiler.compile(node).eval(scope, frame);
    }
  }

  private static boolean isConstant(Node node) {
    return node instanceof Node.Constant;
  }

  private static boolean isComparison(Function function) {
    return function.isOrder() || function == Function.EQUAL || function == Function.NOT_EQUAL;
  }

  private static String joined(String sign, String value) {
    return sign.equals("==") ? value : sign + " " + value;
  }

  private static String sign(Function function, boolean negated) {
    if (!negated) {
      return function.text();
    }
    return switch (function) {
      case EQUAL -> "!=";
      case NOT_EQUAL -> "==";
      case LESS -> ">=";
      case LESS_EQUAL -> ">";
      case GREATER -> "<=";
      default -> "<";
    };
  }

  private static String mirrored(String sign) {
    return switch (sign) {
      case "<" -> ">";
      case "<=" -> ">=";
      case ">" -> "<";
      case ">=" -> "<=";
      default -> sign;
    };
  }

  /** The parts of a conjunction or a disjunction in the order of the text. */
  static List<Node> parts(Node node) {
    List<Node> parts = new ArrayList<>();
    collect(node, node.getClass(), parts);
    return parts;
  }

  private static void collect(Node node, Class<?> kind, List<Node> into) {
    switch (node) {
      case Node.And(_, Node left, Node right) when kind == Node.And.class -> {
        collect(left, kind, into);
        collect(right, kind, into);
      }
      case Node.Or(_, Node left, Node right) when kind == Node.Or.class -> {
        collect(left, kind, into);
        collect(right, kind, into);
      }
      default -> into.add(node);
    }
  }
}
