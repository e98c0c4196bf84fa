/** What the HTTP API does, as routes over the engine; nothing here knows how HTTP is served. */
@NullMarked
package dev.signalbox.server.api;

import org.jspecify.annotations.NullMarked;
