/** The kernel's step beside other state machine libraries, on the same lifecycle. */
@NullMarked
package dev.signalbox.bench.kernel;

import org.jspecify.annotations.NullMarked;
