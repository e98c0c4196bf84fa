/** How fast commands become durable, beside what the store itself can do. */
@NullMarked
package dev.signalbox.bench.journal;

import org.jspecify.annotations.NullMarked;
