package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads how often an effect is tried, from the attributes of its element. */
final class RetryReader {
  private final Reading in;
  private final XmlElement element;

  RetryReader(Reading in, XmlElement element) {
    this.in = in;
    this.element = element;
  }

  /** Null when nothing is said. */
  @Nullable Retry read(boolean idempotent) {
    if (Stream.of("attempts", "backoff", "factor", "most", "retry")
        .allMatch(name -> element.own(name) == null)) {
      return null;
    }
    return new Retry(
        number("attempts", Retry.MOST_ATTEMPTS, Retry.ATTEMPTS),
        duration("backoff", Retry.BACKOFF),
        number("factor", Retry.MOST_FACTOR, Retry.FACTOR),
        duration("most", Retry.MOST),
        failures(idempotent));
  }

  private Duration duration(String name, Duration usual) {
    XmlElement.Attribute attribute = element.own(name);
    return attribute == null ? usual : ActionReader.duration(in, attribute);
  }

  private int number(String name, int most, int usual) {
    XmlElement.Attribute attribute = element.own(name);
    if (attribute == null) {
      return usual;
    }
    String text = attribute.value().strip();
    if (text.matches("[0-9]{1,9}")) {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= most) {
        return number;
      }
    }
    bad(attribute, "a whole number from 1 to " + most, attribute.value());
    return usual;
  }

  private List<Retry.Failure> failures(boolean idempotent) {
    XmlElement.Attribute attribute = element.own("retry");
    if (attribute == null) {
      return Retry.Failure.usual(idempotent);
    }
    List<Retry.Failure> failures = new ArrayList<>();
    for (String word : Reading.words(attribute.value())) {
      Optional<Retry.Failure> failure = Retry.Failure.of(word);
      failure.ifPresent(failures::add);
      if (failure.isEmpty()) {
        bad(attribute, "not_started, thrown or cut_off", word);
      }
    }
    return failures;
  }

  private void bad(XmlElement.Attribute attribute, String expected, String found) {
    in.problems.error(
        "bad-retry",
        attribute.place(),
        "Expected '%s' of <%s> to be %s, but it is '%s'."
            .formatted(attribute.name(), element.name(), expected, found),
        "");
  }
}
