package dev.signalbox.definition.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What may stand at a path. */
sealed interface Choice {
  record Exactly(@Nullable Object value) implements Choice {}

  /** Some value of the declared type; different numbers give different values where it has them. */
  record Sample(int number) implements Choice {}

  /** Some value of the declared type that is none of these. */
  record Other(List<?> excluded) implements Choice {}

  /** One value after the other for the items of a list. */
  record Each(List<?> values) implements Choice {}

  /** A list, string or map of that size. */
  record Sized(int size) implements Choice {}

  record Missing() implements Choice {}
}
