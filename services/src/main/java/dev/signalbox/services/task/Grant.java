package dev.signalbox.services.task;

import java.util.List;

/** What a worker that asked is to get, if the machines agree. */
record Grant(Claim claim, List<Ready> tasks) {}
