package dev.signalbox.definition.expression;

import dev.signalbox.definition.expression.Node.Name;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the names in an expression stand for at one site.
 *
 * <p>A name that stands for nothing is an error of the text in strict mode. In scxml mode it is an
 * error of the evaluation, as W3C has it, so there it becomes a node that fails.
 */
final class Names {
  private static final Set<Name> STRICT =
      EnumSet.of(Name.CONTEXT, Name.EVENT, Name.ACTOR, Name.NOW, Name.ID);
  private static final Set<Name> SCXML =
      EnumSet.of(
          Name.DATA,
          Name.SYSTEM_EVENT,
          Name.MACHINE_NAME,
          Name.SESSION,
          Name.PROCESSORS,
          Name.PLATFORM);
  private static final Set<String> TYPES =
      Set.of(
          "int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type");

  private final Declarations declared;
  private final Site site;

  Names(Declarations declared, Site site) {
    this.declared = declared;
    this.site = site;
  }

  /** A bare name. */
  Node bare(int at, String name) throws SyntaxException {
    if (site.locals().contains(name)) {
      int slot = site.layout().names().lastIndexOf(name);
      if (slot >= 0) {
        return new Node.Slot(at, slot, name);
      }
    }
    for (Name root : roots()) {
      if (root.text().equals(name)) {
        return new Node.Root(at, root);
      }
    }
    if (TYPES.contains(name)) {
      return new Node.Foreign(at, name);
    }
    return none(at, name, "Expected a known name, but `" + name + "` is none." + hintFor(name));
  }

  /** {@code ctx.field} or {@code data.field}. */
  Node field(int at, Name root, String field) throws SyntaxException {
    int slot = slot(root, field);
    String text = root.text() + "." + field;
    return slot >= 0 ? new Node.Slot(at, slot, text) : undeclared(at, text, field);
  }

  /** {@code has(ctx.field)} or {@code has(data.field)}. */
  Node present(int at, Name root, String field) throws SyntaxException {
    int slot = slot(root, field);
    String text = root.text() + "." + field;
    if (slot >= 0) {
      return new Node.SlotPresent(at, slot, text);
    }
    return declared.strict() ? undeclared(at, text, field) : new Node.Constant(at, false);
  }

  /** A function that does not exist. */
  Node noFunction(int at, String name) throws SyntaxException {
    return none(
        at,
        name + "()",
        "Expected a function of CEL, but `"
            + name
            + "` is none."
            + Nearest.hint("", name, Function.names()));
  }

  private int slot(Name root, String field) {
    Context.Layout layout = site.layout();
    // Behind the fields come the variables of loops, which ctx does not contain.
    return root == Name.DATA || declared.fields().containsKey(field) ? layout.index(field) : -1;
  }

  private Node undeclared(int at, String text, String field) throws SyntaxException {
    return none(
        at,
        text,
        "Expected a declared field, but `"
            + text
            + "` is none."
            + Nearest.hint(
                text.substring(0, text.length() - field.length()),
                field,
                declared.fields().keySet()));
  }

  private Node none(int at, String text, String message) throws SyntaxException {
    if (declared.strict()) {
      throw new SyntaxException(message, at);
    }
    return new Node.Failing(at, text, message);
  }

  private Set<Name> roots() {
    return declared.strict() ? STRICT : SCXML;
  }

  private String hintFor(String name) {
    String context = declared.strict() ? "ctx." : "data.";
    if (declared.fields().containsKey(name)) {
      return " Did you mean `" + context + name + "`?";
    }
    String translated = otherMode(name);
    if (translated != null) {
      return " Did you mean `" + translated + "`?";
    }
    if (declared.states().contains(name)) {
      return " Did you mean `In('" + name + "')`?";
    }
    List<String> known = new ArrayList<>(site.locals());
    roots().forEach(root -> known.add(root.text()));
    known.addAll(List.of("true", "false", "null"));
    return Nearest.hint("", name, known);
  }

  /** What the other mode, or another language, calls the same thing here. */
  private @Nullable String otherMode(String name) {
    if (declared.strict()) {
      return switch (name) {
        case "data", "context", "state", "vars" -> "ctx";
        case "_event", "payload" -> "event";
        case "_sessionid", "instance" -> "id";
        default -> null;
      };
    }
    return switch (name) {
      case "ctx", "context" -> "data";
      case "event" -> "_event.data";
      case "id" -> "_sessionid";
      default -> null;
    };
  }
}
