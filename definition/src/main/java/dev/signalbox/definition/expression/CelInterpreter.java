package dev.signalbox.definition.expression;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.ErrorValue;
import dev.cel.common.values.NullValue;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.LimitException;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.Size;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An expression run by CEL's own interpreter: slower, and complete. */
final class CelInterpreter extends Code {
  /** What {@code In('S')} becomes: whether S is in this list, a name that no text can contain. */
  private static final String STATES = "@states";

  /** About how many bytes of texts and lists one evaluation may join. */
  private static final long MOST_JOINED = 256 << 20;

  private final CelRuntime.Program program;
  private final Declarations declared;
  private final List<String> locals;
  private final Type event;

  /** How often at most the expression joins two texts or lists, as large as all it can see. */
  private final long joins;

  private CelInterpreter(
      CelRuntime.Program program,
      Declarations declared,
      List<String> locals,
      Type event,
      long joins) {
    this.joins = joins;
    this.program = program;
    this.declared = declared;
    this.locals = locals;
    this.event = event;
  }

  /** CEL's runtime takes most of a second to start, and few machines need it. */
  private static final class Started {
    static final CelParser PARSER =
        CelParserFactory.standardCelParserBuilder()
            .setOptions(CelSyntax.OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addMacros(
                CelMacro.newGlobalMacro(
                    "In",
                    1,
                    (factory, target, arguments) ->
                        Optional.of(
                            factory.newGlobalCall(
                                "@in", arguments.getFirst(), factory.newIdentifier(STATES)))))
            .build();
    static final CelRuntime RUNTIME =
        CelRuntimeFactory.plannerRuntimeBuilder().setOptions(CelSyntax.OPTIONS).build();
  }

  static CelInterpreter of(String text, Node node, Declarations declared, Site site)
      throws SyntaxException {
    try {
      CelAbstractSyntaxTree tree = Started.PARSER.parse(text).getAst();
      CelRuntime.Program program = Started.RUNTIME.createProgram(tree);
      Type event = Shape.ofEvents(site.events(), declared.events()).type();
      return new CelInterpreter(program, declared, site.locals(), event, joins(node));
    } catch (CelValidationException | CelEvaluationException e) {
      throw new SyntaxException("Expected an expression that CEL can run, but it cannot.", -1);
    }
  }

  private static long joins(Node node) {
    return adds(node) * (node.any(Node.Loop.class::isInstance) ? CelSyntax.MOST_ITERATIONS : 1);
  }

  private static long adds(Node node) {
    boolean joins =
        node instanceof Node.Call call
            && call.function() == Function.ADD
            && call.arguments().stream().noneMatch(a -> a instanceof Node.Constant(_, Number _));
    long sum = joins ? 1 : 0;
    for (Node child : node.children()) {
      sum += adds(child);
    }
    return sum;
  }

  /**
   * CEL's interpreter does not count what it makes, so the most it could make is asked beforehand.
   */
  private void checkRoom(Scope scope) {
    if (joins > 0 && scope.bytes() != Long.MAX_VALUE) {
      Event current = scope.event();
      long room = MOST_JOINED / joins;
      long seen =
          Size.of(scope.context().asMap(), room)
              + Size.of(current == null ? null : current.data(), room);
      if (seen > room) {
        throw new LimitException("%,d bytes that CEL's interpreter may join".formatted(room));
      }
    }
  }

  /** Refuses what CEL's interpreter does worse than the closures. */
  static void check(Node node) throws SyntaxException {
    checkPatterns(node);
    checkLogic(node, true);
  }

  /** CEL compiles patterns without a bound on their size, so they must be known beforehand. */
  private static void checkPatterns(Node node) throws SyntaxException {
    if (node instanceof Node.Call call && call.function() == Function.MATCHES) {
      if (!(call.second() instanceof Node.Constant(_, String pattern))) {
        throw new SyntaxException(
            "Expected a string written out as the pattern, but here it is computed.",
            call.second().at());
      }
      try {
        SafePattern.compile(pattern);
      } catch (EvaluationException e) {
        throw new SyntaxException(String.valueOf(e.getMessage()), call.second().at());
      }
    }
    for (Node child : node.children()) {
      checkPatterns(child);
    }
  }

  /**
   * CEL's interpreter takes the failure of a conjunction for a value when it is compared or put
   * into a list or a map, and goes on. A guard must not pass that way, so conditions may only stand
   * where a condition is wanted.
   */
  private static void checkLogic(Node node, boolean wanted) throws SyntaxException {
    if (!wanted && keepsFailures(node)) {
      throw new SyntaxException(
          "Expected no condition as a value beside uint(), bytes() or type(), but here is one."
              + " Write `(… ? true : false)` around it.",
          node.at());
    }
    switch (node) {
      case Node.And _, Node.Or _, Node.Not _ -> {
        for (Node child : node.children()) {
          checkLogic(child, true);
        }
      }
      case Node.Conditional(_, Node condition, Node then, Node otherwise) -> {
        checkLogic(condition, true);
        checkLogic(then, wanted);
        checkLogic(otherwise, wanted);
      }
      case Node.Loop(_, Node.LoopKind kind, Node range, _, Node filter, Node body) -> {
        checkLogic(range, false);
        if (filter != null) {
          checkLogic(filter, true);
        }
        checkLogic(body, kind != Node.LoopKind.MAP);
      }
      default -> {
        for (Node child : node.children()) {
          checkLogic(child, false);
        }
      }
    }
  }

  private static boolean keepsFailures(Node node) {
    return node instanceof Node.And
        || node instanceof Node.Or
        || (node instanceof Node.Loop loop
            && (loop.kind() == Node.LoopKind.ALL || loop.kind() == Node.LoopKind.EXISTS));
  }

  @Override
  @Nullable Object eval(Scope scope, @Nullable Frame frame) {
    try {
      checkRoom(scope);
      Object result = program.eval((String name) -> Optional.ofNullable(variable(name, scope)));
      if (Size.of(result, scope.bytes()) > scope.bytes()) {
        throw new LimitException("%,d bytes in one value".formatted(scope.bytes()));
      }
      return fromCel(result);
    } catch (CelEvaluationException e) {
      throw new EvaluationException(
          "Expected a value, but CEL's interpreter found none: " + reason(e) + ".");
    } catch (EvaluationException | LimitException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new EvaluationException(
          "Expected a value, but CEL's interpreter failed: " + e.getClass().getSimpleName() + ".");
    }
  }

  /** CEL's messages may quote values, which may be personal; the code says enough. */
  private static String reason(CelEvaluationException e) {
    return e.getErrorCode().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
  }

  private @Nullable Object variable(String name, Scope scope) {
    if (name.equals(STATES)) {
      return scope.configuration().states();
    }
    if (locals.contains(name)) {
      int slot = scope.context().layout().names().lastIndexOf(name);
      return slot < 0 ? null : toCel(scope.context().slot(slot), null);
    }
    for (Node.Name root : Node.Name.values()) {
      if (root.text().equals(name)) {
        Object value = Roots.value(root, scope, declared);
        return root.isContext() && value instanceof Map<?, ?> fields
            ? context(fields)
            : toCel(value, root == Node.Name.EVENT && declared.strict() ? event : null);
      }
    }
    return null;
  }

  private Map<String, Object> context(Map<?, ?> fields) {
    Map<String, Object> map = new LinkedHashMap<>();
    fields.forEach((key, value) -> {
      var field = declared.fields().get(key);
      Type type = declared.strict() && field != null ? field.type() : null;
      map.put((String) key, toCel(value, type));
    });
    return map;
  }

  /** CEL has its own null, and wants doubles where the declared type says so; keys are sorted. */
  static Object toCel(@Nullable Object value, @Nullable Type type) {
    return switch (value) {
      case null -> NullValue.NULL_VALUE;
      case Long whole when type != null && type.kind() == Type.Kind.DOUBLE -> (double) whole;
      case List<?> list -> {
        List<Object> copy = new ArrayList<>(list.size());
        for (Object item : list) {
          copy.add(toCel(item, type == null ? null : type.item()));
        }
        yield copy;
      }
      case Map<?, ?> map -> {
        Map<Object, Object> copy = new LinkedHashMap<>();
        for (Object key : Values.sortedKeys(map)) {
          Type field =
              type == null ? null : type.fields().getOrDefault(key.toString(), type.item());
          copy.put(key, toCel(Values.find(map, key), field));
        }
        yield copy;
      }
      default -> value;
    };
  }

  static @Nullable Object fromCel(Object value) {
    return switch (value) {
      case NullValue _ -> null;
      case UnsignedLong number -> {
        if (number.longValue() < 0) {
          throw new EvaluationException("Expected a number of 63 bits, but the uint is larger.");
        }
        yield number.longValue();
      }
      case CelByteString _ ->
          throw new EvaluationException(
              "Expected a JSON value, but it is of type bytes. Convert it with string().");
      case ErrorValue _ ->
          throw new EvaluationException("Expected a value, but a part of it has none.");
      case CelType _ ->
          throw new EvaluationException("Expected a JSON value, but it is a type itself.");
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>(list.size());
        for (Object item : list) {
          copy.add(fromCel(item));
        }
        yield copy;
      }
      case Map<?, ?> map -> {
        Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, item) -> copy.put(fromCel(key), fromCel(item)));
        yield copy;
      }
      default -> value;
    };
  }
}
