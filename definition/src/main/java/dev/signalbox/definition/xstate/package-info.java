/**
 * Machine configurations for XState 5 as JSON, written only.
 *
 * <p>JSON holds no functions, so guards, actions and delays are names with parameters: the text of
 * the CEL expression, or the value as it is, for an implementation to evaluate.
 */
@NullMarked
package dev.signalbox.definition.xstate;

import org.jspecify.annotations.NullMarked;
