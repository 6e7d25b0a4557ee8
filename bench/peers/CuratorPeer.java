// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;

/**
 * Peer "curator": uses InterProcessMutex and, for several locks, InterProcessMultiLock. protocol.hpp describes most
 * commands, turnstile.cpp "several" and "loop", crowd.hpp "saturate" and "pace", and turnstile_kinds.hpp the commands
 * for other kinds of locks.
 */
public final class CuratorPeer {
    private static final int SESSION_TIMEOUT_MS = 30_000;
    private static final int CONNECTION_TIMEOUT_MS = 15_000;
    private static final long WAITER_STACK_BYTES = 256 * 1024;
    private static final long POLL_MS = 5;

    private final CuratorFramework client;

    private final CuratorCrowd crowd;

    private final CuratorKinds kinds;

    private CuratorPeer(CuratorFramework client, String servers) {
        this.client = client;
        this.crowd = new CuratorCrowd(() -> connected(servers));
        this.kinds = new CuratorKinds(client);
    }

    private static CuratorFramework connected(String servers) throws Exception {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(
                        servers,
                        SESSION_TIMEOUT_MS,
                        CONNECTION_TIMEOUT_MS,
                        new ExponentialBackoffRetry(1000, 3));
        client.start();
        if (!client.blockUntilConnected(CONNECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("cannot connect to " + servers);
        }
        return client;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            System.err.println("usage: CuratorPeer CONNECT");
            System.exit(2);
        }
        try (CuratorFramework client = connected(arguments[0])) {
            new CuratorPeer(client, arguments[0]).serve();
        }
        System.exit(0); // ends the threads and sessions of the crowd
    }

    private void serve() throws Exception {
        System.out.println(
                "ok version="
                        + System.getProperty("curator.version", "unknown")
                        + " commands=cycle,contend,threads,drain,several,loop,saturate,pace"
                        + ",readwrite,permit,lead");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            try {
                System.out.println("ok " + answer(line.trim().split(" +")));
            } catch (Exception | OutOfMemoryError failure) {
                System.out.println("error " + String.valueOf(failure).replace('\n', ' '));
            }
        }
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "cycle":
                return cycle(words[1], Integer.parseInt(words[2]));
            case "contend":
                return threads(words[1], 1, words[2], words[3]);
            case "threads":
                return threads(words[1], Integer.parseInt(words[2]), words[3], words[4]);
            case "several":
                return timed(
                        new InterProcessMultiLock(locks(words[1], Integer.parseInt(words[2]))),
                        Integer.parseInt(words[3]));
            case "loop":
                return loop(
                        locks(words[1], Integer.parseInt(words[2])), Integer.parseInt(words[3]));
            case "saturate":
                return crowd.saturate(words);
            case "pace":
                return crowd.pace(words);
            case "drain":
                return drain(words[1], Integer.parseInt(words[2]));
            case "readwrite":
                return kinds.readWrite(words);
            case "permit":
                return kinds.permit(words);
            case "lead":
                return kinds.lead(words);
            default:
                throw new IllegalArgumentException("no command '" + words[0] + "'");
        }
    }

    static long nowMicros() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    private String cycle(String path, int count) throws Exception {
        return timed(new InterProcessMutex(client, path), count);
    }

    private List<InterProcessLock> locks(String path, int count) {
        List<InterProcessLock> all = new ArrayList<>();
        for (int i = 0; i < count; ++i) {
            all.add(new InterProcessMutex(client, path + "/" + i));
        }
        return all;
    }

    private static String timed(InterProcessLock lock, int count) throws Exception {
        long[] nanos = new long[count];
        for (int i = 0; i < count; ++i) {
            long start = System.nanoTime();
            lock.acquire();
            lock.release();
            nanos[i] = System.nanoTime() - start;
        }
        return listOf(nanos);
    }

    private static String loop(List<InterProcessLock> locks, int count) throws Exception {
        long[] nanos = new long[count];
        for (int i = 0; i < count; ++i) {
            long start = System.nanoTime();
            for (InterProcessLock lock : locks) {
                lock.acquire();
            }
            for (int each = locks.size(); each-- > 0; ) {
                locks.get(each).release();
            }
            nanos[i] = System.nanoTime() - start;
        }
        return listOf(nanos);
    }

    private static String listOf(long[] nanos) {
        StringJoiner times = new StringJoiner(",");
        for (long one : nanos) {
            times.add(Double.toString(one / 1000.0));
        }
        return "us=" + times;
    }

    /** Takes and releases a lock once, and calls `count` at the grant. */
    interface Cycle {
        void run(Runnable count) throws Exception;
    }

    /** Runs the cycle until the end. Returns the number of grants between the two instants, and of all grants. */
    private static long[] count(Cycle cycle, long begin, long end) throws Exception {
        long[] counts = new long[2];
        while (nowMicros() < end) {
            cycle.run(
                    () -> {
                        long now = nowMicros();
                        if (begin <= now && now < end) {
                            ++counts[0];
                        }
                        ++counts[1];
                    });
        }
        return counts;
    }

    /** Runs a separate cycle in each thread until the end. The instants are texts from the command. */
    static String countByThreads(int threads, String begin, String end, Callable<Cycle> cycles)
            throws Exception {
        long first = Long.parseLong(begin);
        long last = Long.parseLong(end);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<long[]>> running = new ArrayList<>();
        for (int i = 0; i < threads; ++i) {
            running.add(pool.submit(() -> count(cycles.call(), first, last)));
        }
        long grants = 0;
        long all = 0;
        for (Future<long[]> one : running) {
            grants += one.get()[0];
            all += one.get()[1];
        }
        pool.shutdown();
        return "grants=" + grants + " all=" + all;
    }

    private String threads(String path, int threads, String begin, String end)
            throws Exception {
        return countByThreads(
                threads,
                begin,
                end,
                () -> {
                    InterProcessMutex lock = new InterProcessMutex(client, path);
                    return count -> {
                        lock.acquire();
                        count.run();
                        lock.release();
                    };
                });
    }

    /**
     * Uses one session. Each waiter has a thread, because InterProcessMutex only blocks. Each waiter also has a
     * separate InterProcessMutex: with a shared object, each deletion would wake all waiting threads, and each of
     * these threads would list the queue.
     */
    private String drain(String path, int count) throws Exception {
        InterProcessMutex lock = new InterProcessMutex(client, path);
        CountDownLatch drained = new CountDownLatch(count);
        String[] failure = new String[1];
        long start = nowMicros();
        lock.acquire();
        for (int i = 0; i < count; ++i) {
            Runnable waiter =
                    () -> {
                        try {
                            InterProcessMutex mine = new InterProcessMutex(client, path);
                            mine.acquire();
                            mine.release();
                        } catch (Exception e) {
                            failure[0] = e.toString();
                        }
                        drained.countDown();
                    };
            Thread thread = new Thread(null, waiter, "waiter", WAITER_STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
        }
        Stat stat = client.checkExists().forPath(path);
        while (stat == null || stat.getNumChildren() <= count) {
            Thread.sleep(POLL_MS);
            stat = client.checkExists().forPath(path);
        }
        long full = nowMicros();
        lock.release();
        drained.await();
        if (failure[0] != null) {
            throw new IllegalStateException(failure[0]);
        }
        return "us=" + (nowMicros() - full) + " enqueue_us=" + (full - start);
    }
}
