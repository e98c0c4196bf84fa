package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compiles nodes to code. */
final class CodeCompiler {
  private final Declarations declared;

  CodeCompiler(Declarations declared) {
    this.declared = declared;
  }

  Code compile(Node node) {
    return switch (node) {
      case Node.Constant(_, Object value) ->
          value instanceof Boolean b ? new Code.Settled(b) : new Code.Constant(value);
      case Node.Slot slot -> new ReadCode.Slot(slot);
      case Node.SlotPresent slot -> new ReadCode.SlotPresent(slot.index());
      case Node.Root(_, Node.Name name) -> new ReadCode.Root(name, declared);
      case Node.Local local -> new ReadCode.Local(local.index());
      case Node.Select(_, Node.Root(_, Node.Name name), String field)
          when name == Node.Name.EVENT ->
          new ReadCode.EventField(field);
      case Node.Select select -> new ReadCode.Select(select, compile(select.operand()));
      case Node.Present(_, Node.Root root, String field) when root.name() == Node.Name.EVENT ->
          new ReadCode.EventFieldPresent(root, field);
      case Node.Present present -> new ReadCode.Present(present, compile(present.operand()));
      case Node.Index index ->
          new ReadCode.Index(index, compile(index.operand()), compile(index.key()));
      case Node.Call call -> call(call);
      case Node.Not(_, Node operand) -> new LogicCode.Not(compile(operand));
      case Node.And(_, Node left, Node right) -> new LogicCode.And(compile(left), compile(right));
      case Node.Or(_, Node left, Node right) -> new LogicCode.Or(compile(left), compile(right));
      case Node.Conditional(_, Node condition, Node then, Node otherwise) ->
          new LogicCode.Conditional(compile(condition), compile(then), compile(otherwise));
      case Node.ListOf(_, List<Node> items) -> new CallCode.ListOf(compileAll(items));
      case Node.MapOf(_, List<Node.Entry> entries) ->
          new CallCode.MapOf(
              compileAll(entries.stream().map(Node.Entry::key).toList()),
              compileAll(entries.stream().map(Node.Entry::value).toList()));
      case Node.Loop loop -> loop(loop);
      case Node.AsDouble(_, Node operand) -> new ReadCode.AsDouble(compile(operand));
      case Node.Failing failing -> new Code.Failing(failing.message());
      case Node.Foreign foreign -> throw new IllegalStateException(foreign.text());
    };
  }

  private Code[] compileAll(List<Node> nodes) {
    return nodes.stream().map(this::compile).toArray(Code[]::new);
  }

  private Code call(Node.Call call) {
    Code first = compile(call.first());
    Function function = call.function();
    if (call.arguments().size() == 1) {
      return switch (function) {
        case SIZE -> new CompareCode.Size(call, first);
        case IN_STATE -> new CallCode.InState(call, first);
        case DYN -> first;
        default -> new CallCode.Unary(call, first);
      };
    }
    Code second = compile(call.second());
    if (function.isOrder() || function == Function.EQUAL || function == Function.NOT_EQUAL) {
      return comparison(call, first, second);
    }
    if (function == Function.IN) {
      return new CompareCode.In(call, first, second);
    }
    if (function == Function.MATCHES && call.second() instanceof Node.Constant(_, String text)) {
      SafePattern pattern = pattern(text);
      if (pattern != null) {
        return new CallCode.Matches(call, first, pattern);
      }
    }
    return new CallCode.Binary(call, first, second);
  }

  private static Code comparison(Node.Call call, Code left, Code right) {
    Function function = call.function();
    if (call.second() instanceof Node.Constant(_, Long number)) {
      return left instanceof Code.Whole whole
          ? new CompareCode.WholeWithConstant(function, whole, number)
          : new CompareCode.WithConstant(call, left, number);
    }
    if (function.isOrder()) {
      return new CompareCode.Order(call, left, right);
    }
    boolean wanted = function == Function.EQUAL;
    return call.second() instanceof Node.Constant(_, String text)
        ? new CompareCode.EqualText(left, text, wanted)
        : new CompareCode.Equal(left, right, wanted);
  }

  private static @Nullable SafePattern pattern(String text) {
    try {
      return SafePattern.compile(text);
    } catch (EvaluationException e) {
      // Fails again, with the same words, when it is evaluated.
      return null;
    }
  }

  private Code loop(Node.Loop loop) {
    Code range = compile(loop.range());
    Code body = compile(loop.body());
    Node filter = loop.filter();
    return switch (loop.kind()) {
      case ALL, EXISTS -> new LoopCode.Quantifier(loop, range, body);
      case EXISTS_ONE -> new LoopCode.ExistsOne(loop, range, body);
      case FILTER -> new LoopCode.Collect(loop, range, body, null);
      case MAP -> new LoopCode.Collect(loop, range, filter == null ? null : compile(filter), body);
    };
  }
}
