package dev.signalbox.services.tool;

import dev.signalbox.kernel.CanonicalJson;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Takes the values of secrets out of what comes back, as they are and as JSON, addresses and Base64
 * write them. A program that changes a secret otherwise before it prints it is beyond this.
 */
final class Redactor {
  private record Form(byte[] bytes, byte[] instead) {}

  private final Map<String, String> values;
  private final List<Form> forms = new ArrayList<>();

  private Redactor(Map<String, String> values) {
    this.values = values;
    values.forEach((name, value) -> {
      byte[] plain = value.getBytes(StandardCharsets.UTF_8);
      String json = CanonicalJson.text(value);
      Set<String> texts = new LinkedHashSet<>();
      texts.add(value);
      texts.add(json.substring(1, json.length() - 1));
      texts.add(URLEncoder.encode(value, StandardCharsets.UTF_8));
      texts.add(URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
      texts.add(Base64.getEncoder().withoutPadding().encodeToString(plain));
      texts.add(Base64.getUrlEncoder().withoutPadding().encodeToString(plain));
      byte[] instead = "[secret %s]".formatted(name).getBytes(StandardCharsets.UTF_8);
      texts.forEach(text -> forms.add(new Form(text.getBytes(StandardCharsets.UTF_8), instead)));
    });
    // The longest first, so that one that holds another is taken out whole.
    forms.sort(Comparator.comparingInt((Form form) -> form.bytes.length).reversed());
  }

  /**
   * For the secrets of those names, which are read now.
   *
   * @throws IllegalArgumentException when one is not there
   */
  static Redactor of(SecretSource source, Collection<String> names) {
    Map<String, String> values = new TreeMap<>();
    for (String name : names) {
      String value = source.named(name);
      if (value.length() < SecretSource.SHORTEST) {
        throw new IllegalArgumentException(
            "Expected the secret '%s' to have at least %d characters, but it has fewer."
                .formatted(name, SecretSource.SHORTEST));
      }
      values.put(name, value);
    }
    return new Redactor(values);
  }

  /** The value of a secret that it was made for. */
  String value(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "Expected the secret '%s' to be declared, but it is not.".formatted(name));
    }
    return value;
  }

  byte[] clean(byte[] bytes) {
    if (forms.isEmpty()) {
      return bytes;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
    for (int i = 0; i < bytes.length; ) {
      Form found = at(bytes, i);
      if (found == null) {
        out.write(bytes[i++]);
      } else {
        out.writeBytes(found.instead);
        i += found.bytes.length;
      }
    }
    return out.toByteArray();
  }

  String clean(String text) {
    return new String(clean(text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
  }

  private @org.jspecify.annotations.Nullable Form at(byte[] bytes, int from) {
    for (Form form : forms) {
      int length = form.bytes.length;
      if (from + length <= bytes.length
          && bytes[from] == form.bytes[0]
          && java.util.Arrays.equals(bytes, from, from + length, form.bytes, 0, length)) {
        return form;
      }
    }
    return null;
  }
}
