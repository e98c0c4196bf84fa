package dev.signalbox.definition.expression;

import dev.signalbox.definition.expression.Shape.Kind;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.machine.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks an expression of a strict machine against the declared types.
 *
 * <p>It refuses what can't work and lets pass what may: a value of any type fits everywhere, and
 * shows its fault when it is evaluated. It allows a little more than CEL's own checker (an int is
 * compared with a double, a condition's branches differ) and notices a little more (a string that
 * is none of a field's values, a state that does not exist).
 */
final class TypeChecker {
  private final Declarations declared;
  private final Site site;
  private final Shape event;
  private final List<Shape> locals = new ArrayList<>();

  TypeChecker(Declarations declared, Site site) {
    this.declared = declared;
    this.site = site;
    this.event = Shape.ofEvents(site.events(), declared.events());
  }

  /** A tree in which reads of doubles are marked, and the shape of its value. */
  record Typed(Node node, Shape shape) {}

  /** The checked tree, whose value fits the site. */
  Typed check(Node node) throws SyntaxException {
    Typed typed = visit(node);
    if (site.use() == Use.CONDITION && !typed.shape().is(Kind.BOOL)) {
      throw fault(
          node,
          "Expected a condition, but `%s` is %s."
              .formatted(NodeText.of(node), typed.shape().kind().words()));
    }
    return typed;
  }

  private Typed visit(Node node) throws SyntaxException {
    return switch (node) {
      case Node.Constant(_, Object value) -> new Typed(node, Shape.of(value));
      case Node.Slot slot -> read(slot, shapeOf(slot));
      case Node.SlotPresent _ -> new Typed(node, Shape.BOOL);
      case Node.Root(_, Node.Name name) -> new Typed(node, shapeOf(name));
      case Node.Local local -> read(local, locals.get(local.index()));
      case Node.Select select -> select(select);
      case Node.Present(int at, Node operand, String field) -> {
        Typed typed = visit(operand);
        fieldOf(at, typed, field);
        yield new Typed(new Node.Present(at, typed.node(), field), Shape.BOOL);
      }
      case Node.Index index -> index(index);
      case Node.Call call -> call(call);
      case Node.Not(int at, Node operand) ->
          new Typed(new Node.Not(at, condition(operand, "`!`")), Shape.BOOL);
      case Node.And(int at, Node left, Node right) ->
          new Typed(
              new Node.And(at, condition(left, "`&&`"), condition(right, "`&&`")), Shape.BOOL);
      case Node.Or(int at, Node left, Node right) ->
          new Typed(new Node.Or(at, condition(left, "`||`"), condition(right, "`||`")), Shape.BOOL);
      case Node.Conditional(int at, Node condition, Node then, Node otherwise) -> {
        Node checked = condition(condition, "`?`");
        Typed a = visit(then);
        Typed b = visit(otherwise);
        yield new Typed(
            new Node.Conditional(at, checked, a.node(), b.node()), a.shape().either(b.shape()));
      }
      case Node.ListOf(int at, List<Node> items) -> {
        List<Node> checked = new ArrayList<>();
        Shape joined = null;
        for (Node item : items) {
          Typed typed = visit(item);
          checked.add(typed.node());
          joined = joined == null ? typed.shape() : joined.either(typed.shape());
        }
        yield new Typed(new Node.ListOf(at, checked), Shape.list(joined));
      }
      case Node.MapOf(int at, List<Node.Entry> entries) -> map(at, entries);
      case Node.Loop loop -> loop(loop);
      case Node.AsDouble _, Node.Failing _ -> new Typed(node, Shape.ANY);
      case Node.Foreign _ -> new Typed(node, Shape.FOREIGN);
    };
  }

  private static Typed read(Node node, Shape shape) {
    Node marked = shape.kind() == Kind.DOUBLE ? new Node.AsDouble(node.at(), node) : node;
    return new Typed(marked, shape);
  }

  private Shape shapeOf(Node.Slot slot) {
    Field field = declared.fields().get(site.layout().name(slot.index()));
    return field == null ? Shape.ANY : Shape.of(field.type());
  }

  private Shape shapeOf(Node.Name name) {
    return switch (name) {
      case EVENT -> event;
      case ACTOR -> Shape.ACTOR;
      case NOW -> Shape.INT;
      case ID, SESSION, MACHINE_NAME -> Shape.STRING;
      case CONTEXT, DATA, PROCESSORS, PLATFORM -> Shape.map(null);
      case SYSTEM_EVENT -> Shape.ANY;
    };
  }

  private Node condition(Node node, String where) throws SyntaxException {
    Typed typed = visit(node);
    if (!typed.shape().is(Kind.BOOL)) {
      throw fault(
          node,
          "Expected a condition for %s, but `%s` is %s."
              .formatted(where, NodeText.of(node), typed.shape().kind().words()));
    }
    return typed.node();
  }

  private Typed select(Node.Select select) throws SyntaxException {
    Typed operand = visit(select.operand());
    Shape field = fieldOf(select.at(), operand, select.field());
    return read(new Node.Select(select.at(), operand.node(), select.field()), field);
  }

  private Shape fieldOf(int at, Typed operand, String field) throws SyntaxException {
    Shape shape = operand.shape();
    if (!shape.isFields()) {
      throw new SyntaxException(
          "Expected `%s` to have fields, but it is %s."
              .formatted(NodeText.of(operand.node()), shape.kind().words()),
          at);
    }
    if (shape.kind() != Kind.OBJECT) {
      return shape.itemOrAny();
    }
    Shape found = shape.fields().get(field);
    if (found == null) {
      String path = NodeText.of(operand.node()) + ".";
      String owner =
          operand.node() instanceof Node.Root(_, Node.Name name) && name == Node.Name.EVENT
              ? "a declared field of " + events()
              : "a declared field";
      throw new SyntaxException(
          "Expected %s, but `%s%s` is none.%s"
              .formatted(owner, path, field, Nearest.hint(path, field, shape.fields().keySet())),
          at);
    }
    return found;
  }

  private String events() {
    return site.events().stream().collect(Collectors.joining("` or `", "event `", "`"));
  }

  private Typed index(Node.Index index) throws SyntaxException {
    Typed operand = visit(index.operand());
    Typed key = visit(index.key());
    Shape shape = operand.shape();
    if (!shape.isCollection()) {
      throw new SyntaxException(
          "Expected `%s` to be a list or a map, but it is %s."
              .formatted(NodeText.of(index.operand()), shape.kind().words()),
          index.at());
    }
    if (shape.kind() == Kind.LIST && !key.shape().is(Kind.INT)) {
      throw fault(
          index.key(),
          "Expected an int to index a list, but `%s` is %s."
              .formatted(NodeText.of(index.key()), key.shape().kind().words()));
    }
    Node.Index checked = new Node.Index(index.at(), operand.node(), key.node());
    if (shape.kind() == Kind.OBJECT) {
      return index.key() instanceof Node.Constant(int at, String field)
          ? read(checked, fieldOf(at, operand, field))
          : new Typed(checked, Shape.ANY);
    }
    return read(checked, shape.itemOrAny());
  }

  private Typed map(int at, List<Node.Entry> entries) throws SyntaxException {
    List<Node.Entry> checked = new ArrayList<>();
    Shape joined = null;
    for (Node.Entry entry : entries) {
      Typed key = visit(entry.key());
      Typed value = visit(entry.value());
      Kind kind = key.shape().kind();
      if (kind == Kind.DOUBLE || kind == Kind.LIST || kind == Kind.MAP || kind == Kind.NULL) {
        throw fault(
            entry.key(),
            "Expected a string as the key of a map, but `%s` is %s."
                .formatted(NodeText.of(entry.key()), kind.words()));
      }
      checked.add(new Node.Entry(key.node(), value.node()));
      joined = joined == null ? value.shape() : joined.either(value.shape());
    }
    return new Typed(new Node.MapOf(at, checked), Shape.map(joined));
  }

  private Typed loop(Node.Loop loop) throws SyntaxException {
    Typed range = visit(loop.range());
    Shape shape = range.shape();
    if (!shape.isCollection()) {
      throw fault(
          loop.range(),
          "Expected a list or a map before `.%s`, but `%s` is %s."
              .formatted(loop.kind().text(), NodeText.of(loop.range()), shape.kind().words()));
    }
    Shape item =
        shape.isAny() ? Shape.ANY : shape.kind() == Kind.LIST ? shape.itemOrAny() : Shape.STRING;
    locals.add(item);
    Node loopFilter = loop.filter();
    String where = "`" + loop.kind().text() + "`";
    Node filter = loopFilter == null ? null : condition(loopFilter, where);
    Typed body =
        loop.kind() == Node.LoopKind.MAP
            ? visit(loop.body())
            : new Typed(condition(loop.body(), where), Shape.BOOL);
    locals.removeLast();
    Shape result =
        switch (loop.kind()) {
          case ALL, EXISTS, EXISTS_ONE -> Shape.BOOL;
          case MAP -> Shape.list(body.shape());
          case FILTER -> Shape.list(item);
        };
    return new Typed(
        new Node.Loop(loop.at(), loop.kind(), range.node(), loop.variable(), filter, body.node()),
        result);
  }

  private Typed call(Node.Call call) throws SyntaxException {
    List<Node> nodes = new ArrayList<>();
    List<Shape> shapes = new ArrayList<>();
    for (Node argument : call.arguments()) {
      Typed typed = visit(argument);
      nodes.add(typed.node());
      shapes.add(typed.shape());
    }
    Shape result = Signatures.check(call, shapes, declared);
    return new Typed(
        new Node.Call(call.at(), call.function(), List.copyOf(nodes), call.method()), result);
  }

  private static SyntaxException fault(Node node, String message) {
    return new SyntaxException(message, node.at());
  }
}
