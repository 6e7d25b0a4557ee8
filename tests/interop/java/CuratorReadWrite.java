// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/**
 * A client of Curator's InterProcessReadWriteLock that contends with turnstile::shared_mutex.
 *
 * <pre>
 * CuratorReadWrite mix CONNECT PATH GRANTS FOLDER
 * CuratorReadWrite read CONNECT PATH SIGNAL
 * CuratorReadWrite write CONNECT PATH SIGNAL
 * </pre>
 *
 * <p>mix runs two readers and two writers. Each of them takes the lock GRANTS times, and each time enters the
 * CriticalSection of FOLDER. read and write take the lock once, print "granted", and hold the lock until the test
 * writes into the named pipe SIGNAL. All print "READY" when they are connected, and "released" at the end.
 *
 * <p>Exit status: 0 success, 1 any failure, 2 wrong usage, 3 a writer overlapped with another contender.
 */
public final class CuratorReadWrite {
    private static final int THREADS_OF_A_KIND = 2;

    private final InterProcessReadWriteLock lock;

    private CuratorReadWrite(CuratorFramework client, String path) {
        this.lock = new InterProcessReadWriteLock(client, path);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 4) {
            usage();
        }
        try (CuratorFramework client = CuratorConnection.open(arguments[1])) {
            CuratorReadWrite contender = new CuratorReadWrite(client, arguments[2]);
            System.out.println("READY");
            contender.run(arguments);
            System.out.println("released");
        }
    }

    private static void usage() {
        System.err.println(
                "usage: CuratorReadWrite mix CONNECT PATH GRANTS FOLDER\n"
                        + "       CuratorReadWrite read|write CONNECT PATH SIGNAL");
        System.exit(2);
    }

    private void run(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "mix" -> mix(Integer.parseInt(arguments[3]), Path.of(arguments[4]));
            case "read" -> hold(lock.readLock(), Path.of(arguments[3]));
            case "write" -> hold(lock.writeLock(), Path.of(arguments[3]));
            default -> usage();
        }
    }

    private void mix(int grants, Path folder) throws Exception {
        CriticalSection section = new CriticalSection(folder);
        List<Callable<Void>> work = new ArrayList<>();
        for (int i = 0; i < THREADS_OF_A_KIND; ++i) {
            work.add(() -> repeat(grants, lock.readLock(), section::read));
            work.add(() -> repeat(grants, lock.writeLock(), section::write));
        }
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            for (Future<Void> one : threads.invokeAll(work)) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void repeat(int grants, InterProcessMutex side, Callable<Long> inside)
            throws Exception {
        for (int i = 0; i < grants; ++i) {
            side.acquire();
            try {
                inside.call();
            } finally {
                side.release();
            }
        }
        return null;
    }

    private static void hold(InterProcessMutex side, Path signal) throws Exception {
        side.acquire();
        System.out.println("granted");
        Signal.await(signal);
        side.release();
    }
}
