/**
 * Machines written as lists of states in the YAML blocks of a text: each state names the states
 * that may come next.
 */
@NullMarked
package dev.signalbox.definition.statelist;

import org.jspecify.annotations.NullMarked;
