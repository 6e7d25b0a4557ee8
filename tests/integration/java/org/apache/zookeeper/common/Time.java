// SPDX-License-Identifier: Apache-2.0
package org.apache.zookeeper.common;

import java.util.Date;

/**
 * Replaces ZooKeeper's class of this name. Each start of the server chooses its first session id as if the machine had
 * been up for the same number of milliseconds. All other callers get the true clock.
 */
public class Time {
    private static final long UP_AT = 3_000;

    public static long currentElapsedTime() {
        return numbersSessions() ? UP_AT : System.nanoTime() / 1_000_000;
    }

    public static long currentWallTime() {
        return System.currentTimeMillis();
    }

    public static Date elapsedTimeToDate(long elapsed) {
        return new Date(currentWallTime() + elapsed - currentElapsedTime());
    }

    private static boolean numbersSessions() {
        return StackWalker.getInstance()
                .walk(frames -> frames.skip(2).findFirst())
                .filter(caller -> caller.getMethodName().equals("initializeNextSessionId"))
                .isPresent();
    }
}
