/**
 * The HTTP API, the event stream, the page and the MCP door.
 *
 * <p>A request's way:
 *
 * <pre>
 *   Jetty      limits on headers, connections and silence; a virtual thread for each request
 *   Gate       security headers, host and origin, the credential, CSRF, rate; no caller, no way in
 *   Router     the table of routes: the roles of the route, then its handler; /mcp is a servlet
 *   api        handlers over Request and Response, which know nothing of Jetty
 *   Signalbox  the one door
 * </pre>
 *
 * Whatever is refused on the way is answered with an RFC 9457 problem and noted in the audit log.
 */
@NullMarked
package dev.signalbox.server;

import org.jspecify.annotations.NullMarked;
