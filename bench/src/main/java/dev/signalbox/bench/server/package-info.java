/** The server under load, beside the Java API that it is built on, in the same run. */
@NullMarked
package dev.signalbox.bench.server;

import org.jspecify.annotations.NullMarked;
