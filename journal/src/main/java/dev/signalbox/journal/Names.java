package dev.signalbox.journal;

import java.util.ArrayList;
import java.util.List;

/** Lists of names as the JSON that the stores keep. */
public final class Names {
  private Names() {}

  /** The names in a JSON array of strings that {@code CanonicalJson} wrote. */
  public static List<String> list(String json) {
    List<String> names = new ArrayList<>();
    StringBuilder name = null;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (name == null) {
        name = c == '"' ? new StringBuilder() : null;
      } else if (c == '"') {
        names.add(name.toString());
        name = null;
      } else if (c == '\\') {
        i++;
        name.append(escaped(json, i));
        i += json.charAt(i) == 'u' ? 4 : 0;
      } else {
        name.append(c);
      }
    }
    return List.copyOf(names);
  }

  private static char escaped(String json, int at) {
    return switch (json.charAt(at)) {
      case 'b' -> '\b';
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'f' -> '\f';
      case 'r' -> '\r';
      case 'u' -> (char) Integer.parseInt(json, at + 1, at + 5, 16);
      default -> json.charAt(at);
    };
  }
}
