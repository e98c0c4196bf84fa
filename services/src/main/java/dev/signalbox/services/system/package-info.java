/**
 * What a system brings along: its machines, the handlers of their effects, routes of the HTTP API
 * and pages. Systems and the server are siblings that do not know one another; both know these
 * types, and the composition root hands the ones to the other.
 *
 * <p>A {@link dev.signalbox.services.system.Route} says in one place who may use it, what it takes
 * and what it gives. The server registers it, guards it and describes it in its OpenAPI document
 * from that one value, so that the three can't part.
 */
@NullMarked
package dev.signalbox.services.system;

import org.jspecify.annotations.NullMarked;
