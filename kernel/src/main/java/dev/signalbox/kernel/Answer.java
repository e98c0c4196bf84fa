package dev.signalbox.kernel;

/** What the kernel answers: a step that was taken, or a rejection that changed nothing. */
public sealed interface Answer permits Step, Rejection {}
