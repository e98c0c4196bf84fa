package dev.signalbox.definition.check;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSource;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelExpr;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.cel.parser.CelUnparserFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads expressions as trees for the checks that look inside them. Macros stay plain calls. What
 * does not parse is empty here; the expression checks report it.
 */
final class Syntax {
  private static final CelOptions OPTIONS =
      CelOptions.current().maxExpressionCodePointSize(10_000).maxParseRecursionDepth(100).build();

  private final CelParser parser =
      CelParserFactory.standardCelParserBuilder().setOptions(OPTIONS).build();
  private final Map<String, Optional<CelExpr>> known = new HashMap<>();

  Optional<CelExpr> parse(String text) {
    return known.computeIfAbsent(text, this::read);
  }

  private Optional<CelExpr> read(String text) {
    try {
      CelValidationResult result = parser.parse(text);
      return result.hasError() ? Optional.empty() : Optional.of(result.getAst().getExpr());
    } catch (CelValidationException e) {
      return Optional.empty();
    }
  }

  /** The text of a part of an expression. */
  static String text(CelExpr expr) {
    return CelUnparserFactory.newUnparser()
        .unparse(CelAbstractSyntaxTree.newParsedAst(expr, CelSource.newBuilder("").build()));
  }

  /** The fields of the context that an expression reads. */
  record Reads(Set<String> fields, boolean all) {
    boolean contains(String field) {
      return all || fields.contains(field);
    }
  }

  /** What the expression reads of the context; everything when that cannot be told. */
  Reads reads(String text) {
    Optional<CelExpr> expr = parse(text);
    if (expr.isEmpty()) {
      return new Reads(Set.of(), true);
    }
    Set<String> fields = new HashSet<>();
    boolean all = collect(expr.get(), fields);
    return new Reads(fields, all);
  }

  private static boolean collect(CelExpr expr, Set<String> fields) {
    Optional<String> field = contextField(expr);
    if (field.isPresent()) {
      fields.add(field.get());
      return false;
    }
    if (isContext(expr)) {
      return true;
    }
    boolean[] all = {false};
    children(expr, child -> all[0] |= collect(child, fields));
    return all[0];
  }

  /** The field, when the expression is {@code ctx.field} or {@code ctx['field']}. */
  static Optional<String> contextField(CelExpr expr) {
    if (expr.getKind() == CelExpr.ExprKind.Kind.SELECT && isContext(expr.select().operand())) {
      return Optional.of(expr.select().field());
    }
    if (expr.getKind() == CelExpr.ExprKind.Kind.CALL
        && expr.call().function().equals("_[_]")
        && isContext(expr.call().args().get(0))) {
      CelExpr key = expr.call().args().get(1);
      if (key.getKind() == CelExpr.ExprKind.Kind.CONSTANT
          && key.constant().getKind() == dev.cel.common.ast.CelConstant.Kind.STRING_VALUE) {
        return Optional.of(key.constant().stringValue());
      }
    }
    return Optional.empty();
  }

  static boolean isContext(CelExpr expr) {
    return isName(expr, "ctx") || isName(expr, "data");
  }

  static boolean isName(CelExpr expr, String name) {
    return expr.getKind() == CelExpr.ExprKind.Kind.IDENT && expr.ident().name().equals(name);
  }

  /** Visits the expressions directly below this one. */
  static void children(CelExpr expr, Consumer<CelExpr> visit) {
    switch (expr.getKind()) {
      case SELECT -> visit.accept(expr.select().operand());
      case CALL -> {
        expr.call().target().ifPresent(visit);
        expr.call().args().forEach(visit);
      }
      case LIST -> expr.list().elements().forEach(visit);
      case MAP ->
          expr.map()
              .entries()
              .forEach(e -> {
                visit.accept(e.key());
                visit.accept(e.value());
              });
      case STRUCT -> expr.struct().entries().forEach(e -> visit.accept(e.value()));
      case COMPREHENSION ->
          List.of(
                  expr.comprehension().iterRange(),
                  expr.comprehension().accuInit(),
                  expr.comprehension().loopCondition(),
                  expr.comprehension().loopStep(),
                  expr.comprehension().result())
              .forEach(visit);
      case CONSTANT, IDENT, NOT_SET -> {}
    }
  }
}
