// SPDX-License-Identifier: Apache-2.0
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;

/**
 * Curator's processes for crash.cpp: a holder, which crash.cpp kills, and a waiter for the lock of each trial.
 *
 * <pre>
 * CuratorCrash CONNECT SESSION_MS hold PATH           prints "held", and holds until it is killed
 * CuratorCrash CONNECT SESSION_MS wait FOLDER TRIALS  "granted N MICROSECONDS" for FOLDER/N, the time since 1970
 * </pre>
 */
public final class CuratorCrash {
    private static final int CONNECTION_TIMEOUT_MS = 15_000;
    private static final long POLL_MS = 20;

    private CuratorCrash() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 4) {
            System.err.println("usage: CuratorCrash CONNECT SESSION_MS hold|wait PATH [TRIALS]");
            System.exit(2);
        }
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient(
                        arguments[0],
                        Integer.parseInt(arguments[1]),
                        CONNECTION_TIMEOUT_MS,
                        new ExponentialBackoffRetry(1000, 3))) {
            client.start();
            if (!client.blockUntilConnected(CONNECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("cannot connect to " + arguments[0]);
            }
            if (arguments[2].equals("hold")) {
                hold(client, arguments[3]);
            } else {
                for (int trial = 0; trial < Integer.parseInt(arguments[4]); ++trial) {
                    await(client, arguments[3] + "/" + trial, trial);
                }
            }
        }
    }

    private static void hold(CuratorFramework client, String path) throws Exception {
        new InterProcessMutex(client, path).acquire();
        System.out.println("held");
        Thread.sleep(Long.MAX_VALUE);
    }

    private static void await(CuratorFramework client, String path, int trial) throws Exception {
        Stat stat = client.checkExists().forPath(path);
        while (stat == null || stat.getNumChildren() == 0) {
            Thread.sleep(POLL_MS);
            stat = client.checkExists().forPath(path);
        }
        InterProcessMutex lock = new InterProcessMutex(client, path);
        lock.acquire();
        Instant now = Instant.now();
        System.out.println(
                "granted "
                        + trial
                        + " "
                        + (now.getEpochSecond() * 1_000_000 + now.getNano() / 1000)
                        + " .");
        lock.release();
    }
}
