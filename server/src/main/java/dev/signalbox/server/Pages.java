package dev.signalbox.server;

import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Response;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of the page, from the class path: our own, those of systems and those of WebJars. The
 * only inline script that the policy allows is the import map of the page, by its hash.
 */
final class Pages {
  /** Files that need no caller: the sign-in page and what it is made of. */
  static final String SIGN_IN = "/sign-in";

  private static final String OURS = "/dev/signalbox/server/";
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_@][A-Za-z0-9_@.+-]*)+");
  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("html", "text/html; charset=utf-8"),
          Map.entry("js", "text/javascript; charset=utf-8"),
          Map.entry("mjs", "text/javascript; charset=utf-8"),
          Map.entry("css", "text/css; charset=utf-8"),
          Map.entry("json", "application/json"),
          Map.entry("map", "application/json"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("png", "image/png"),
          Map.entry("ico", "image/x-icon"),
          Map.entry("woff2", "font/woff2"),
          Map.entry("webmanifest", "application/manifest+json"));

  /** The folder of each system's modules: the class it is beside, and its path. */
  private final Map<String, Folder> systems;

  private final Map<String, File> read = new ConcurrentHashMap<>();
  private final String policy;

  /** A folder on the class path, as seen from a class. */
  record Folder(Class<?> beside, String path) {}

  private record File(byte[] bytes, String type, String tag) {}

  Pages(Map<String, Folder> systems) {
    this.systems = new LinkedHashMap<>(systems);
    StringBuilder scripts = new StringBuilder("'self'");
    File index = file(Pages.class, OURS + "page/index.html");
    if (index != null) {
      Matcher maps = IMPORT_MAP.matcher(new String(index.bytes, StandardCharsets.UTF_8));
      while (maps.find()) {
        scripts.append(" 'sha256-").append(hash(maps.group(1))).append('\'');
      }
    }
    this.policy =
        "default-src 'none'; script-src "
            + scripts
            + "; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
            + " manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
  }

  private static String hash(String text) {
    return Base64.getEncoder().encodeToString(sha256(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }

  /** What browsers may load and run. */
  String policy() {
    return policy;
  }

  static boolean isOpen(String path) {
    return path.equals(SIGN_IN) || path.startsWith(SIGN_IN + "/") || path.equals("/favicon.ico");
  }

  /**
   * The file at the path; a path without extension is the page itself, whose script reads it.
   *
   * @param known the tag of what the client has, or null
   */
  Response file(String path, @Nullable String known) {
    if (path.contains("..") || (!path.equals("/") && !PATH.matcher(path).matches())) {
      throw missing();
    }
    File file = find(path);
    if (file == null) {
      throw missing();
    }
    Response response =
        file.tag.equals(known)
            ? Response.nothing().status(304)
            : Response.bytes(file.type, file.bytes);
    return response.with("ETag", file.tag).with("Cache-Control", "no-cache");
  }

  private static ProblemException missing() {
    return ProblemException.notFound(
        "Expected a file of the page, but there is none of that name.");
  }

  private @Nullable File find(String path) {
    if (path.equals(SIGN_IN)) {
      return file(Pages.class, OURS + "sign-in/index.html");
    }
    if (path.startsWith(SIGN_IN + "/")) {
      return file(Pages.class, OURS + path.substring(1));
    }
    if (path.equals("/favicon.ico")) {
      return file(Pages.class, OURS + "sign-in/icon.svg");
    }
    if (path.startsWith("/webjars/")) {
      return file(Pages.class, "/META-INF/resources" + path);
    }
    int slash = path.indexOf('/', 1);
    Folder folder = slash < 0 ? null : systems.get(path.substring(1, slash));
    if (folder != null) {
      return file(folder.beside, folder.path + path.substring(slash));
    }
    boolean named = path.substring(path.lastIndexOf('/') + 1).contains(".");
    File file = named ? file(Pages.class, OURS + "page" + path) : null;
    return file != null || (named && isAsset(path))
        ? file
        : file(Pages.class, OURS + "page/index.html");
  }

  /** Whether the path has the extension of a file, not the dot of a machine's name. */
  private static boolean isAsset(String path) {
    return TYPES.containsKey(extension(path));
  }

  private static String extension(String path) {
    return path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  private @Nullable File file(Class<?> beside, String path) {
    String key = beside.getName() + " " + path;
    File known = read.get(key);
    if (known != null) {
      return known;
    }
    String type = TYPES.get(extension(path));
    if (type == null) {
      return null;
    }
    try (InputStream in = beside.getResourceAsStream(path)) {
      if (in == null) {
        return null;
      }
      byte[] bytes = in.readAllBytes();
      File file =
          new File(bytes, type, "\"" + HexFormat.of().formatHex(sha256(bytes), 0, 16) + "\"");
      read.put(key, file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void writeSignIn(HttpServletResponse response) throws IOException {
    File page = file(Pages.class, OURS + "sign-in/index.html");
    if (page != null) {
      response.setContentType(page.type);
      response.setContentLength(page.bytes.length);
      response.getOutputStream().write(page.bytes);
    }
  }
}
