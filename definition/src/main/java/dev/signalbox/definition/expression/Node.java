package dev.signalbox.definition.expression;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An expression as a tree whose names are resolved. {@code at} is an offset in the text. */
sealed interface Node {
  int at();

  /**
   * A value written out.
   *
   * @param value null, Boolean, Long, Double, String, or a List or Map of them after folding
   */
  record Constant(int at, @Nullable Object value) implements Node {}

  /** A slot of the context: a declared field or the variable of a foreach loop. */
  record Slot(int at, int index, String text) implements Node {}

  /** Whether a slot has a value. */
  record SlotPresent(int at, int index, String text) implements Node {}

  /** A name that is always there. */
  record Root(int at, Name name) implements Node {}

  /** The variable of an enclosing {@link Loop}. */
  record Local(int at, int index, String name) implements Node {}

  record Select(int at, Node operand, String field) implements Node {}

  /** {@code has(operand.field)}. */
  record Present(int at, Node operand, String field) implements Node {}

  record Index(int at, Node operand, Node key) implements Node {}

  /**
   * A function or an operator; the receiver of a method is its first argument.
   *
   * @param method whether it is written {@code a.f(b)}
   */
  record Call(int at, Function function, List<Node> arguments, boolean method) implements Node {
    Node first() {
      return arguments.getFirst();
    }

    Node second() {
      return arguments.get(1);
    }
  }

  record Not(int at, Node operand) implements Node {}

  record And(int at, Node left, Node right) implements Node {}

  record Or(int at, Node left, Node right) implements Node {}

  record Conditional(int at, Node condition, Node then, Node otherwise) implements Node {}

  record ListOf(int at, List<Node> items) implements Node {}

  record MapOf(int at, List<Entry> entries) implements Node {}

  record Entry(Node key, Node value) {}

  /**
   * A macro over the items of a list or the keys of a map.
   *
   * @param filter only for the three-argument form of {@code map}
   */
  record Loop(int at, LoopKind kind, Node range, Local variable, @Nullable Node filter, Node body)
      implements Node {}

  /**
   * A read whose declared type is double. JSON writes 3.0 as 3, so an integer may stand there; it
   * is the double of the same value.
   */
  record AsDouble(int at, Node operand) implements Node {}

  /** Something that has no value, in the mode in which that shows only when it is evaluated. */
  record Failing(int at, String text, String message) implements Node {}

  /** Something that only CEL's interpreter understands, such as {@code 1u} or {@code int}. */
  record Foreign(int at, String text) implements Node {}

  /** The names of both modes. */
  enum Name {
    CONTEXT("ctx"),
    DATA("data"),
    EVENT("event"),
    ACTOR("actor"),
    NOW("now"),
    ID("id"),
    SYSTEM_EVENT("_event"),
    MACHINE_NAME("_name"),
    SESSION("_sessionid"),
    PROCESSORS("_ioprocessors"),
    PLATFORM("_x");

    private final String text;

    Name(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }

    boolean isContext() {
      return this == CONTEXT || this == DATA;
    }
  }

  /** The macros that walk a collection. */
  enum LoopKind {
    ALL("all"),
    EXISTS("exists"),
    EXISTS_ONE("exists_one"),
    MAP("map"),
    FILTER("filter");

    private final String text;

    LoopKind(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /** The nodes directly below this one, in the order of the text. */
  default List<Node> children() {
    return switch (this) {
      case Constant _, Slot _, SlotPresent _, Root _, Local _, Failing _, Foreign _ -> List.of();
      case Select(_, Node operand, _) -> List.of(operand);
      case Present(_, Node operand, _) -> List.of(operand);
      case Index(_, Node operand, Node key) -> List.of(operand, key);
      case Call call -> call.arguments();
      case Not(_, Node operand) -> List.of(operand);
      case And(_, Node left, Node right) -> List.of(left, right);
      case Or(_, Node left, Node right) -> List.of(left, right);
      case Conditional(_, Node condition, Node then, Node otherwise) ->
          List.of(condition, then, otherwise);
      case ListOf(_, List<Node> items) -> items;
      case MapOf(_, List<Entry> entries) ->
          entries.stream().flatMap(e -> Stream.of(e.key(), e.value())).toList();
      case Loop(_, _, Node range, _, Node filter, Node body) ->
          filter == null ? List.of(range, body) : List.of(range, filter, body);
      case AsDouble(_, Node operand) -> List.of(operand);
    };
  }

  /** Whether only CEL's interpreter can evaluate it. */
  default boolean isForeign() {
    return any(n -> n instanceof Foreign || (n instanceof Call c && c.function().isForeign()));
  }

  /** Whether this node or one below it passes the test. */
  default boolean any(Predicate<Node> test) {
    if (test.test(this)) {
      return true;
    }
    for (Node child : children()) {
      if (child.any(test)) {
        return true;
      }
    }
    return false;
  }
}
