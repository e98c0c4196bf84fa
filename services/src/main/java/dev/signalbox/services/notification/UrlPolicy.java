package dev.signalbox.services.notification;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;

/**
 * Which addresses webhooks may go to. Without permission they go to public addresses over HTTPS and
 * nowhere else: whoever may name an address must not reach what only this machine can reach. It is
 * asked before each attempt, for a name may lead elsewhere by then.
 *
 * @param privateTargets whether loopback and private addresses are allowed, also over plain HTTP
 */
public record UrlPolicy(boolean privateTargets) {
  public static final UrlPolicy PUBLIC = new UrlPolicy(false);

  /** The policy for a development machine and for tests. */
  public static final UrlPolicy LOOPBACK_AND_PRIVATE = new UrlPolicy(true);

  /**
   * The address, if a webhook may go there.
   *
   * @throws IllegalArgumentException when it may not; the message says why
   */
  public URI checked(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw refused("it is no address");
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    String host = uri.getHost();
    if (host == null || uri.getUserInfo() != null || uri.getFragment() != null) {
      throw refused("it needs a host, and neither a user nor a fragment");
    }
    if (!scheme.equals("https") && !(scheme.equals("http") && privateTargets)) {
      throw refused("it is not https");
    }
    if (!privateTargets) {
      for (InetAddress address : resolved(host)) {
        if (!isPublic(address)) {
          throw refused("its host is not on the public network");
        }
      }
    }
    return uri;
  }

  private static InetAddress[] resolved(String host) {
    try {
      return InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw refused("its host is not known");
    }
  }

  static boolean isPublic(InetAddress address) {
    if (address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    byte[] b = address.getAddress();
    if (address instanceof Inet4Address) {
      int first = b[0] & 0xff;
      int second = b[1] & 0xff;
      int third = b[2] & 0xff;
      return !(first == 0
          || first >= 240
          || (first == 100 && (second & 0xc0) == 64)
          || (first == 192 && second == 0 && (third == 0 || third == 2))
          || (first == 198 && (second & 0xfe) == 18)
          || (first == 198 && second == 51 && third == 100)
          || (first == 203 && second == 0 && third == 113));
    }
    if (address instanceof Inet6Address) {
      // Only 2000::/3 is given to the public; of that, 2001:db8::/32 is for examples, and 2002::/16
      // (6to4) and 2001::/32 (Teredo) hold other addresses inside.
      boolean global = (b[0] & 0xe0) == 0x20;
      boolean tunnel = b[0] == 0x20 && b[1] == 0x02;
      boolean teredo = b[0] == 0x20 && b[1] == 0x01 && b[2] == 0 && b[3] == 0;
      boolean example = b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == (byte) 0xb8;
      return global && !tunnel && !teredo && !example;
    }
    return false;
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException(
        "Expected an address that may be called from here, but %s.".formatted(why));
  }
}
