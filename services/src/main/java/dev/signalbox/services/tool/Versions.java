package dev.signalbox.services.tool;

import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Which version of a class is running. */
final class Versions {
  private Versions() {}

  /**
   * The class, the version of its package where it has one, and the digest of its bytes. What a
   * lambda does is in the class that it is written in.
   */
  static Map<String, Object> of(Class<?> type) {
    Class<?> written = type.isHidden() || type.isSynthetic() ? type.getNestHost() : type;
    Map<String, Object> version = new LinkedHashMap<>();
    version.put("class", written.getName());
    String released = written.getPackage().getImplementationVersion();
    if (released != null) {
      version.put("release", released);
    }
    String name = "/" + written.getName().replace('.', '/') + ".class";
    try (InputStream bytes = written.getResourceAsStream(name)) {
      if (bytes != null) {
        version.put("sha256", Sha256.hex(bytes));
      }
    } catch (IOException e) {
      // Without its bytes it is known by its name.
    }
    return version;
  }
}
