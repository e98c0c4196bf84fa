/**
 * Expressions: CEL as the kernel's {@link dev.signalbox.kernel.ExpressionCompiler}.
 *
 * <p>CEL's own parser reads the text, so what is an expression is CEL's decision. Everything behind
 * it is ours: the tree ({@code Node}) with its names resolved to slots, the check against the
 * declared types, the closures ({@code Code}) that the kernel runs, the reasons given for a no, and
 * the evaluation over values that are not known, for the model checker. CEL's interpreter takes
 * over for the rare expressions that the closures do not cover, and is what the tests compare them
 * with.
 *
 * <p>Deliberately absent: functions with side effects, user-defined functions, and anything whose
 * cost is not bounded. A text has at most 10,000 characters and 100 levels, an evaluation at most a
 * million small steps, and patterns are RE2's. Maps are walked in the order of their keys, so that
 * an expression gives the same list for a map before and after it was stored.
 */
@NullMarked
package dev.signalbox.definition.expression;

import org.jspecify.annotations.NullMarked;
