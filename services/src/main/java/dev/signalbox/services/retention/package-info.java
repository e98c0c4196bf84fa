/**
 * How long what has ended stays in the store. What is older goes into archives: files that verify
 * by themselves. Of each instance the store keeps a tombstone with the hash of its file, so a file
 * that is lost or changed shows.
 */
@NullMarked
package dev.signalbox.services.retention;

import org.jspecify.annotations.NullMarked;
