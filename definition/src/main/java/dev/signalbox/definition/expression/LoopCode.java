package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Code for the macros over the items of a list or the keys of a map. */
final class LoopCode {
  private LoopCode() {}

  /** The items a loop walks; a map's keys come sorted, see the package's documentation. */
  static List<?> items(Node.Loop loop, @Nullable Object range) {
    return switch (range) {
      case List<?> list -> list;
      case Map<?, ?> map -> Values.sortedKeys(map);
      case null, default -> throw Operations.wrong(loop.range(), "a list or a map", range);
    };
  }

  /** How much work one turn of the loop is at least. */
  static int weight(Node node) {
    int sum = 1;
    for (Node child : node.children()) {
      sum += weight(child);
    }
    return sum;
  }

  /** {@code all} and {@code exists}: a failing item does not matter when another one decides. */
  static final class Quantifier extends Code.Condition {
    private final Node.Loop loop;
    private final int weight;
    private final Code range;
    private final Code body;
    private final boolean deciding;

    Quantifier(Node.Loop loop, Code range, Code body) {
      this.loop = loop;
      this.weight = weight(loop.body());
      this.range = range;
      this.body = body;
      this.deciding = loop.kind() == Node.LoopKind.EXISTS;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame maybe) {
      Frame frame = Objects.requireNonNull(maybe);
      List<?> items = items(loop, range.eval(scope, frame));
      EvaluationException failure = null;
      for (int i = 0; i < items.size(); i++) {
        frame.spend(weight);
        frame.set(loop.variable().index(), items.get(i));
        try {
          if (body.test(scope, frame) == deciding) {
            return deciding;
          }
        } catch (EvaluationException e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw failure;
      }
      return !deciding;
    }
  }

  /** {@code exists_one}. */
  static final class ExistsOne extends Code.Condition {
    private final Node.Loop loop;
    private final int weight;
    private final Code range;
    private final Code body;

    ExistsOne(Node.Loop loop, Code range, Code body) {
      this.loop = loop;
      this.weight = weight(loop.body());
      this.range = range;
      this.body = body;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame maybe) {
      Frame frame = Objects.requireNonNull(maybe);
      List<?> items = items(loop, range.eval(scope, frame));
      int count = 0;
      for (int i = 0; i < items.size(); i++) {
        frame.spend(weight);
        frame.set(loop.variable().index(), items.get(i));
        if (body.test(scope, frame)) {
          count++;
        }
      }
      return count == 1;
    }
  }

  /** {@code map} and {@code filter}. */
  static final class Collect extends Code {
    private final Node.Loop loop;
    private final int weight;
    private final Code range;
    private final @Nullable Code filter;
    private final @Nullable Code body;

    /**
     * @param filter which items count; null means all
     * @param body what becomes of an item; null leaves it as it is
     */
    Collect(Node.Loop loop, Code range, @Nullable Code filter, @Nullable Code body) {
      this.loop = loop;
      this.weight = 1 + weight(loop.body());
      this.range = range;
      this.filter = filter;
      this.body = body;
    }

    @Override
    Object eval(Scope scope, @Nullable Frame maybe) {
      Frame frame = Objects.requireNonNull(maybe);
      List<?> items = items(loop, range.eval(scope, frame));
      List<@Nullable Object> result = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        frame.spend(weight);
        Object item = items.get(i);
        frame.set(loop.variable().index(), item);
        if (filter == null || filter.test(scope, frame)) {
          result.add(body == null ? item : body.eval(scope, frame));
        }
      }
      return Collections.unmodifiableList(result);
    }
  }
}
