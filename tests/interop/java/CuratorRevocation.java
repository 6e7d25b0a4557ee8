// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.Revoker;

/**
 * Requests to release a mutex, sent or received by Curator.
 *
 * <pre>
 * CuratorRevocation hold CONNECT PATH
 * CuratorRevocation revoke CONNECT ZNODE
 * </pre>
 *
 * <p>hold takes the mutex and prints "granted". When it gets a request, it releases the mutex and prints "released".
 * revoke asks the holder that owns ZNODE to release the mutex, by Curator's Revoker.
 *
 * <p>Exit status: 0 success, 1 any failure, 2 wrong usage.
 */
public final class CuratorRevocation {
    private CuratorRevocation() {}

    public static void main(String[] arguments) throws Exception {
        boolean hold = arguments.length == 3 && arguments[0].equals("hold");
        boolean revoke = arguments.length == 3 && arguments[0].equals("revoke");
        if (!hold && !revoke) {
            System.err.println(
                    "usage: CuratorRevocation hold CONNECT PATH\n"
                            + "       CuratorRevocation revoke CONNECT ZNODE");
            System.exit(2);
        }
        try (CuratorFramework client = CuratorConnection.open(arguments[1])) {
            if (hold) {
                holdUntilAsked(new InterProcessMutex(client, arguments[2]));
            } else {
                Revoker.attemptRevoke(client, arguments[2]);
            }
        }
    }

    private static void holdUntilAsked(InterProcessMutex mutex) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        mutex.makeRevocable(which -> asked.countDown());
        mutex.acquire();
        System.out.println("granted");
        asked.await();
        mutex.release();
        System.out.println("released");
    }
}
