package dev.signalbox.server;

import dev.signalbox.definition.Json;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.ClientAddresses;
import dev.signalbox.server.access.RateLimit;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.MimeTypes;
import org.jspecify.annotations.Nullable;

/**
 * What every request passes, whatever serves it: nothing behind it is reached without a caller,
 * save what is open to all. In this order: security headers; the path, which must be written in the
 * one way that every part of the server reads alike; the host by which we were called, against DNS
 * rebinding; the origin; the credential, with a session's own token where it is more than a file of
 * the page; the rate.
 */
final class Gate implements Filter {
  /** The request's attribute that holds the {@link Caller}. */
  static final String CALLER = "dev.signalbox.caller";

  /** The request's attribute that holds what says whether the credential is still good. */
  static final String GOOD = "dev.signalbox.good";

  private static final String HEALTH = Router.API + "/health";

  private static final Logger LOG = Logger.getLogger(Gate.class.getName());
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  /** Letters, digits, dots and dashes that are encoded although nothing asks for it. */
  private static final Pattern VEILED =
      Pattern.compile("%(2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])");

  private final Authenticator authenticator;
  private final ClientAddresses addresses;
  private final AuditLog audit;
  private final Set<String> hosts;
  private final boolean secure;
  private final BiPredicate<String, String> open;
  private final Predicate<String> page;
  private final Pages pages;
  private final Draining draining;
  private final RateLimit rate;

  /**
   * @param hosts the names and addresses by which we may be called
   * @param open whether the method of the path needs no caller
   * @param page whether the path is that of a file of the page, and nothing else's
   */
  Gate(
      Authenticator authenticator,
      ClientAddresses addresses,
      AuditLog audit,
      ServerSettings settings,
      Set<String> hosts,
      BiPredicate<String, String> open,
      Predicate<String> page,
      Pages pages,
      Draining draining,
      InstantSource clock) {
    this.authenticator = authenticator;
    this.addresses = addresses;
    this.page = page;
    this.audit = audit;
    this.hosts = hosts;
    this.secure = settings.tls() != null;
    this.open = open;
    this.pages = pages;
    this.draining = draining;
    this.rate =
        new RateLimit(settings.limits().perSecond(), 2.0 * settings.limits().perSecond(), clock);
  }

  @Override
  public void doFilter(ServletRequest raw, ServletResponse rawResponse, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) raw;
    HttpServletResponse response = (HttpServletResponse) rawResponse;
    headers(response);
    try {
      admit(request);
    } catch (RuntimeException e) {
      // A store that is lost while a token is looked up is no different from one lost later.
      refuse(request, response, problem(request.getRequestURI(), e));
      return;
    }
    boolean counted = draining.enter();
    if (!counted && !request.getRequestURI().equals(HEALTH)) {
      response.setHeader("Connection", "close");
      refuse(
          request,
          response,
          ProblemException.of(
              503,
              "shutting-down",
              "Expected to answer, but the server is shutting down.",
              "Send the same again in a moment."));
      return;
    }
    try {
      chain.doFilter(request, response);
    } finally {
      if (counted) {
        draining.leave();
      }
    }
  }

  /** What is told of what went wrong; our own faults are in the log too. */
  static ProblemException problem(String path, Throwable thrown) {
    ProblemException problem = Problems.of(thrown);
    if (problem.status() == 500) {
      LOG.log(Level.SEVERE, "Expected to answer " + path + ", but it failed.", thrown);
    }
    return problem;
  }

  private void headers(HttpServletResponse response) {
    response.setHeader("Content-Security-Policy", pages.policy());
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("X-Frame-Options", "DENY");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
    response.setHeader("Cache-Control", "no-store");
    if (secure) {
      response.setHeader("Strict-Transport-Security", "max-age=31536000");
    }
  }

  private void admit(HttpServletRequest request) {
    if (!METHODS.contains(request.getMethod())) {
      throw ProblemException.of(
          405, "method-not-allowed", "Expected a method of the API, but found another.", "");
    }
    String path = request.getRequestURI();
    checkPath(path);
    checkHost(request);
    checkOrigin(request);
    checkCharset(request);
    if (open.test(request.getMethod(), path)) {
      // Signing in and health are never denied to an address because of its other requests.
      if (path.startsWith(Pages.SIGN_IN)
          && !rate.take("address " + ClientAddresses.share(from(request)))) {
        throw tooMany();
      }
      return;
    }
    boolean file = SAFE.contains(request.getMethod()) && page.test(path);
    Authenticator.Known known = authenticator.identify(request, from(request), file);
    if (!rate.take("caller " + known.caller().credential())) {
      throw tooMany();
    }
    request.setAttribute(CALLER, known.caller());
    request.setAttribute(GOOD, known.good());
  }

  /** The address of whoever asks. */
  String from(HttpServletRequest request) {
    return addresses.of(request);
  }

  /**
   * Refuses a path that one part of the server could read otherwise than another: what the gate
   * lets through must be what is served.
   */
  private static void checkPath(String path) {
    boolean plain = path.startsWith("/") && path.indexOf(';') < 0 && !VEILED.matcher(path).find();
    if (plain && path.length() > 1) {
      for (String segment : path.substring(1).split("/", -1)) {
        plain &= !segment.isEmpty() && !segment.equals(".") && !segment.equals("..");
      }
    }
    if (!plain) {
      throw ProblemException.badRequest(
          "Expected a path without empty parts, parts that are dots, semicolons and encoded"
              + " letters, but it has some.");
    }
  }

  private void checkHost(HttpServletRequest request) {
    String host = host(request.getHeader("Host"));
    if (host == null || !hosts.contains(host)) {
      throw ProblemException.of(
          421,
          "wrong-host",
          "Expected to be called by one of this server's names, but found another.",
          "Use the address that it printed, or start it with --name for another.");
    }
  }

  /** The name in a Host header, without the port. */
  private static @Nullable String host(@Nullable String header) {
    if (header == null || header.isEmpty()) {
      return null;
    }
    int end = header.startsWith("[") ? header.indexOf(']') + 1 : header.indexOf(':');
    String name = end <= 0 ? header : header.substring(0, end);
    return name.toLowerCase(Locale.ROOT);
  }

  private static void checkOrigin(HttpServletRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    String origin = request.getHeader("Origin");
    boolean navigation =
        "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
            && SAFE.contains(request.getMethod());
    boolean foreign =
        (("cross-site".equals(site) || "same-site".equals(site)) && !navigation)
            || (origin != null && !isOurs(origin, request.getHeader("Host")));
    if (foreign) {
      throw ProblemException.of(
          403, "wrong-origin", "Expected a request from our own pages, but another made it.", "");
    }
  }

  /** Refuses text in an encoding that nobody here can read, before something trips over it. */
  private static void checkCharset(HttpServletRequest request) {
    String type = request.getHeader("Content-Type");
    String charset = type == null ? null : MimeTypes.getCharsetFromContentType(type);
    if (charset == null) {
      return;
    }
    try {
      Charset.forName(charset);
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(
          415, "unsupported-type", "Expected text in UTF-8, but it is in another encoding.", "");
    }
  }

  private static boolean isOurs(String origin, @Nullable String host) {
    try {
      URI uri = URI.create(origin);
      return host != null && host.equalsIgnoreCase(uri.getRawAuthority());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static ProblemException tooMany() {
    return ProblemException.of(
        429,
        "too-many-requests",
        "Expected fewer requests, but there are too many.",
        "Wait a second and send again.");
  }

  /** Answers with the problem and notes it. */
  void refuse(HttpServletRequest request, HttpServletResponse response, ProblemException problem)
      throws IOException {
    note(request, problem);
    if (response.isCommitted()) {
      return;
    }
    if (request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null) {
      // The body of a refused request is not read, so nothing can follow it on the connection.
      response.setHeader("Connection", "close");
    }
    response.setStatus(problem.status());
    switch (problem.status()) {
      case 401 -> response.setHeader("WWW-Authenticate", "Bearer realm=\"signalbox\"");
      case 429, 503 -> response.setHeader("Retry-After", "1");
      default -> {}
    }
    if (problem.status() == 401 && wantsPage(request)) {
      pages.writeSignIn(response);
      return;
    }
    response.setContentType(Problems.TYPE);
    byte[] body = Json.text(Problems.body(problem)).getBytes(StandardCharsets.UTF_8);
    response.setContentLength(body.length);
    if (!request.getMethod().equals("HEAD")) {
      response.getOutputStream().write(body);
    }
  }

  /** Whether a person's browser asks, who should see the sign-in page rather than a problem. */
  private static boolean wantsPage(HttpServletRequest request) {
    String accept = request.getHeader("Accept");
    return request.getMethod().equals("GET")
        && !request.getRequestURI().startsWith(Router.API)
        && accept != null
        && accept.contains("text/html");
  }

  private void note(HttpServletRequest request, ProblemException problem) {
    Object caller = request.getAttribute(CALLER);
    note(
        caller instanceof Caller known ? known.name() : "",
        from(request),
        request.getMethod(),
        request.getRequestURI(),
        problem);
  }

  /** Notes what was refused. */
  void note(String who, String from, String method, String path, ProblemException problem) {
    audit.note("refused", who, from, method, path, problem.status(), problem.code());
  }
}
