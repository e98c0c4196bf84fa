package dev.signalbox.services.tool;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Texts with places for arguments: {@code {name}} is the argument of that name, a text, a number or
 * a truth value. Braces around anything but a name stand for themselves.
 */
final class Placeholders {
  private static final Pattern PLACE = Pattern.compile("\\{([A-Za-z_][A-Za-z0-9_-]*)}");

  private Placeholders() {}

  static Set<String> names(String template) {
    Set<String> names = new LinkedHashSet<>();
    Matcher matcher = PLACE.matcher(template);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  static boolean any(String template) {
    return PLACE.matcher(template).find();
  }

  /**
   * The text with the arguments in their places.
   *
   * @throws IllegalArgumentException when one is missing or is neither text, number nor truth value
   */
  static String filled(
      String template, Map<String, Object> arguments, UnaryOperator<String> written) {
    return PLACE
        .matcher(template)
        .replaceAll(match -> {
          String name = match.group(1);
          return Matcher.quoteReplacement(written.apply(text(name, arguments.get(name))));
        });
  }

  /**
   * An argument list: an element that is a place and nothing else takes a list too, as that many
   * elements. What comes from an argument is never taken for an option: an element that would begin
   * with a dash is refused unless {@code --} stands before it.
   *
   * @throws IllegalArgumentException when an argument is missing, of another type, or looks like an
   *     option
   */
  static List<String> filled(List<String> templates, Map<String, Object> arguments) {
    List<String> all = new ArrayList<>();
    boolean options = true;
    for (String template : templates) {
      Matcher whole = PLACE.matcher(template);
      List<String> elements =
          whole.matches() && arguments.get(whole.group(1)) instanceof List<?> list
              ? list.stream().map(item -> text(whole.group(1), item)).toList()
              : List.of(filled(template, arguments, UnaryOperator.identity()));
      for (String element : elements) {
        if (options && element.startsWith("-") && template.startsWith("{")) {
          throw new IllegalArgumentException(
              "Expected an argument in '%s' that is no option, but it begins with a dash. Put '--' before it in the command if it may."
                  .formatted(template));
        }
        if (element.indexOf('\0') >= 0) {
          throw new IllegalArgumentException(
              "Expected an argument in '%s' without a null character, but it has one."
                  .formatted(template));
        }
        all.add(element);
      }
      options = options && !template.equals("--");
    }
    return all;
  }

  private static String text(String name, @Nullable Object value) {
    return switch (value) {
      case String text -> text;
      case Long number -> number.toString();
      case Double number -> number.toString();
      case Boolean truth -> truth.toString();
      case null ->
          throw new IllegalArgumentException(
              "Expected the argument '%s', but it is missing.".formatted(name));
      default ->
          throw new IllegalArgumentException(
              "Expected the argument '%s' to be a text, a number or a truth value, but found something else."
                  .formatted(name));
    };
  }
}
