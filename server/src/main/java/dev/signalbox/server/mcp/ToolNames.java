package dev.signalbox.server.mcp;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The names of events as names of tools. Models take letters, digits, underscores and hyphens, at
 * most 64; an event whose name has others keeps what fits and gets a few digits of its hash, so
 * that two events never share a tool.
 */
final class ToolNames {
  static final String READ = "signalbox_read";
  static final String WAIT = "signalbox_wait";

  private static final Pattern FIT = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Pattern UNFIT = Pattern.compile("[^A-Za-z0-9_-]");
  private static final int KEPT = 50;

  private ToolNames() {}

  static String of(String event) {
    if (FIT.matcher(event).matches() && !event.equals(READ) && !event.equals(WAIT)) {
      return event;
    }
    String fit = UNFIT.matcher(event).replaceAll("_");
    return (fit.length() <= KEPT ? fit : fit.substring(0, KEPT)) + "_" + digits(event);
  }

  private static String digits(String event) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(event.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
