/**
 * What tools saw, kept by what it is: SHA-256 to bytes.
 *
 * <p>A {@link dev.signalbox.services.evidence.EvidenceStore} is a folder. A piece of evidence is
 * the file {@code ab/cdef…}, named by the hash of its bytes, so it is stored once, can't be changed
 * without showing, and is checked each time it is read. It is written to a temporary file, forced
 * to the disk and renamed; what has been put is there after a loss of power. Nothing is deleted,
 * nothing overwritten but bytes that no longer have their hash, and what is stored is limited in
 * all.
 */
@NullMarked
package dev.signalbox.services.evidence;

import org.jspecify.annotations.NullMarked;
