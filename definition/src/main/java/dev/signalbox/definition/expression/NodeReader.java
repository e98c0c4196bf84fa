package dev.signalbox.definition.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.signalbox.definition.expression.Node.LoopKind;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns CEL's tree into ours: names become slots, macros become loops. */
final class NodeReader {
  private static final Map<String, LoopKind> LOOPS =
      Map.of(
          "all", LoopKind.ALL,
          "exists", LoopKind.EXISTS,
          "exists_one", LoopKind.EXISTS_ONE,
          "existsOne", LoopKind.EXISTS_ONE,
          "map", LoopKind.MAP,
          "filter", LoopKind.FILTER);

  private final String text;
  private final Names names;
  private final Map<Long, Integer> positions;
  private final boolean plain;
  private final List<String> locals = new ArrayList<>();

  private NodeReader(String text, CelAbstractSyntaxTree tree, Names names) {
    this.text = text;
    this.names = names;
    this.positions = tree.getSource().getPositionsMap();
    this.plain = text.chars().noneMatch(c -> Character.isSurrogate((char) c));
  }

  static Node read(String text, Names names) throws SyntaxException {
    CelAbstractSyntaxTree tree = CelSyntax.parse(text);
    return new NodeReader(text, tree, names).read(tree.getExpr());
  }

  private Node read(CelExpr expr) throws SyntaxException {
    int at = at(expr);
    return switch (expr.getKind()) {
      case CONSTANT -> constant(at, expr.constant());
      case IDENT -> name(at, expr.ident().name());
      case SELECT -> select(expr);
      case CALL -> call(expr);
      case LIST -> new Node.ListOf(at, readAll(expr.list().elements()));
      case MAP -> {
        List<Node.Entry> entries = new ArrayList<>();
        for (CelExpr.CelMap.Entry entry : expr.map().entries()) {
          entries.add(new Node.Entry(read(entry.key()), read(entry.value())));
        }
        yield new Node.MapOf(at, entries);
      }
      case STRUCT ->
          throw new SyntaxException(
              "Expected a map in braces, but `"
                  + expr.struct().messageName()
                  + "` stands before them.",
              at);
      case NOT_SET, COMPREHENSION -> throw new SyntaxException("Expected an expression.", at);
    };
  }

  private List<Node> readAll(List<CelExpr> exprs) throws SyntaxException {
    List<Node> nodes = new ArrayList<>(exprs.size());
    for (CelExpr expr : exprs) {
      nodes.add(read(expr));
    }
    return List.copyOf(nodes);
  }

  private Node constant(int at, CelConstant constant) {
    return switch (constant.getKind()) {
      case NULL_VALUE -> new Node.Constant(at, null);
      case BOOLEAN_VALUE -> new Node.Constant(at, constant.booleanValue());
      case INT64_VALUE -> new Node.Constant(at, constant.int64Value());
      case DOUBLE_VALUE -> new Node.Constant(at, constant.doubleValue());
      case STRING_VALUE -> new Node.Constant(at, constant.stringValue());
      case UINT64_VALUE -> new Node.Foreign(at, constant.uint64Value() + "u");
      case BYTES_VALUE, DURATION_VALUE, TIMESTAMP_VALUE, NOT_SET -> new Node.Foreign(at, "b'…'");
    };
  }

  private Node name(int at, String name) throws SyntaxException {
    // A leading dot asks for the outermost meaning.
    boolean outermost = name.startsWith(".");
    String bare = outermost ? name.substring(1) : name;
    int local = outermost ? -1 : locals.lastIndexOf(bare);
    return local >= 0 ? new Node.Local(at, local, bare) : names.bare(at, bare);
  }

  private Node select(CelExpr expr) throws SyntaxException {
    int at = Math.min(text.length(), at(expr) + 1);
    Node operand = read(expr.select().operand());
    String field = expr.select().field();
    return operand instanceof Node.Root(_, Node.Name root) && root.isContext()
        ? names.field(at, root, field)
        : new Node.Select(at, operand, field);
  }

  private Node call(CelExpr expr) throws SyntaxException {
    String name = expr.call().function();
    List<CelExpr> args = expr.call().args();
    CelExpr target = expr.call().target().orElse(null);
    int at = at(expr);
    switch (name) {
      case "!_" -> {
        return new Node.Not(at, read(args.getFirst()));
      }
      case "_&&_" -> {
        return new Node.And(at, read(args.get(0)), read(args.get(1)));
      }
      case "_||_" -> {
        return new Node.Or(at, read(args.get(0)), read(args.get(1)));
      }
      case "_?_:_" -> {
        return new Node.Conditional(at, read(args.get(0)), read(args.get(1)), read(args.get(2)));
      }
      case "_[_]" -> {
        return index(at, read(args.get(0)), read(args.get(1)));
      }
      default -> {}
    }
    Function function = Function.named(name);
    if (function != null && function.isOperator()) {
      return new Node.Call(at, function, readAll(args), false);
    }
    int start = startOfName(at, name);
    if (name.equals("has") && target == null) {
      return has(start, args);
    }
    LoopKind loop = LOOPS.get(name);
    if (loop != null && target != null) {
      return loop(start, loop, target, args);
    }
    if (function == null) {
      return names.noFunction(start, name);
    }
    return function(start, function, target, args);
  }

  private Node function(int at, Function function, @Nullable CelExpr target, List<CelExpr> args)
      throws SyntaxException {
    if (!function.takes(args.size(), target != null)) {
      throw new SyntaxException(
          "Expected `%s`, but it is called with %s%s."
              .formatted(
                  function.usage(),
                  args.size() == 1 ? "one argument" : args.size() + " arguments",
                  target == null ? "" : " after a dot"),
          at);
    }
    List<Node> arguments = new ArrayList<>();
    if (target != null) {
      arguments.add(read(target));
    }
    arguments.addAll(readAll(args));
    return new Node.Call(at, function, List.copyOf(arguments), target != null);
  }

  private Node index(int at, Node operand, Node key) throws SyntaxException {
    return operand instanceof Node.Root(_, Node.Name root)
            && root.isContext()
            && key instanceof Node.Constant(_, String field)
        ? names.field(key.at(), root, field)
        : new Node.Index(at, operand, key);
  }

  private Node has(int at, List<CelExpr> args) throws SyntaxException {
    if (args.size() != 1 || args.getFirst().getKind() != CelExpr.ExprKind.Kind.SELECT) {
      throw new SyntaxException(
          "Expected `has(x.field)`, but its argument is not a field after a dot.", at);
    }
    CelExpr.CelSelect select = args.getFirst().select();
    int fieldAt = Math.min(text.length(), at(args.getFirst()) + 1);
    Node operand = read(select.operand());
    return operand instanceof Node.Root(_, Node.Name root) && root.isContext()
        ? names.present(fieldAt, root, select.field())
        : new Node.Present(fieldAt, operand, select.field());
  }

  private Node loop(int at, LoopKind kind, CelExpr target, List<CelExpr> args)
      throws SyntaxException {
    boolean filtered = kind == LoopKind.MAP && args.size() == 3;
    if ((args.size() != 2 && !filtered)
        || args.getFirst().getKind() != CelExpr.ExprKind.Kind.IDENT) {
      throw new SyntaxException(
          "Expected `list.%s(name, %s)`, but it is written otherwise."
              .formatted(kind.text(), kind == LoopKind.MAP ? "value" : "condition"),
          at);
    }
    Node range = read(target);
    String variable = args.getFirst().ident().name();
    Node.Local local = new Node.Local(at(args.getFirst()), locals.size(), variable);
    locals.add(variable);
    Node filter = filtered ? read(args.get(1)) : null;
    Node body = read(args.getLast());
    locals.removeLast();
    return new Node.Loop(at, kind, range, local, filter, body);
  }

  private int at(CelExpr expr) {
    int codePoints = positions.getOrDefault(expr.id(), 0);
    return plain ? Math.min(codePoints, text.length()) : CelSyntax.characters(text, codePoints);
  }

  /** CEL gives a call the place of its bracket; people look for its name. */
  private int startOfName(int bracket, String name) {
    int start = text.lastIndexOf(name, bracket);
    return start >= 0 ? start : bracket;
  }
}
