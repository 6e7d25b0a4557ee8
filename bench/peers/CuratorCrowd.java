// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * Generates the load of the measure "saturation" (crowd.hpp). Each acquire in progress has a thread, because
 * InterProcessMutex only blocks, and a separate InterProcessMutex.
 */
final class CuratorCrowd {
    private static final double EXPONENT = 0.99;

    private final Callable<CuratorFramework> connect;
    private final List<CuratorFramework> sessions = new ArrayList<>();
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    work -> {
                        Thread thread = new Thread(work);
                        thread.setDaemon(true);
                        return thread;
                    });

    CuratorCrowd(Callable<CuratorFramework> connect) {
        this.connect = connect;
    }

    private static final class Load {
        final String folder;
        final int locks;
        final boolean skewed;
        final int process;
        final int processes;
        final int sessions;
        final int amount;
        final long begin;
        final long end;

        Load(String[] words) {
            folder = words[1];
            locks = Integer.parseInt(words[2]);
            skewed = words[3].equals("zipf");
            process = Integer.parseInt(words[4]);
            processes = Integer.parseInt(words[5]);
            sessions = Integer.parseInt(words[6]);
            amount = Integer.parseInt(words[7]);
            begin = Long.parseLong(words[8]);
            end = Long.parseLong(words[9]);
        }
    }

    /** Chooses the next lock: the locks of one slot of a session one after the other, or any lock by Zipf's law. */
    private static final class Choice {
        private final int locks;
        private final int step;
        private final int first;
        private int next;
        private final Random random;
        // cumulative weights of the locks; null: the locks are used one after the other
        private final double[] shares;

        Choice(Load load, int session, int slot, int slots) {
            int number = load.process * load.sessions + session;
            locks = load.locks;
            step = load.processes * load.sessions * slots;
            first = number + load.processes * load.sessions * slot;
            next = first;
            random = new Random((long) number * slots + slot);
            shares = load.skewed ? weighed(locks) : null;
        }

        private static double[] weighed(int locks) {
            double[] result = new double[locks];
            double sum = 0;
            for (int i = 0; i < locks; ++i) {
                sum += Math.pow(i + 1, -EXPONENT);
                result[i] = sum;
            }
            return result;
        }

        int next() {
            if (shares != null) {
                int found = Arrays.binarySearch(shares, random.nextDouble() * shares[locks - 1]);
                return Math.min(found < 0 ? -found - 1 : found + 1, locks - 1);
            }
            int result = next;
            next = next + step < locks ? next + step : first;
            return result;
        }
    }

    private void prepare(Load load) throws Exception {
        while (sessions.size() < load.sessions) {
            sessions.add(connect.call());
        }
    }

    String saturate(String[] words) throws Exception {
        Load load = new Load(words);
        prepare(load);
        List<Future<long[]>> running = new ArrayList<>();
        for (int session = 0; session < load.sessions; ++session) {
            for (int slot = 0; slot < load.amount; ++slot) {
                CuratorFramework client = sessions.get(session);
                Choice choice = new Choice(load, session, slot, load.amount);
                running.add(threads.submit(() -> contend(client, load, choice)));
            }
        }
        long grants = 0;
        long all = 0;
        for (Future<long[]> one : running) {
            grants += one.get()[0];
            all += one.get()[1];
        }
        return "grants=" + grants + " all=" + all;
    }

    private static long[] contend(CuratorFramework client, Load load, Choice choice)
            throws Exception {
        long[] counts = new long[2];
        while (CuratorPeer.nowMicros() < load.end) {
            InterProcessMutex lock = lockOf(client, load, choice.next());
            lock.acquire();
            long now = CuratorPeer.nowMicros();
            if (load.begin <= now && now < load.end) {
                ++counts[0];
            }
            ++counts[1];
            lock.release();
        }
        return counts;
    }

    private static InterProcessMutex lockOf(CuratorFramework client, Load load, int lock) {
        return new InterProcessMutex(client, load.folder + "/" + lock);
    }

    String pace(String[] words) throws Exception {
        Load load = new Load(words);
        prepare(load);
        Choice[] choices = new Choice[load.sessions];
        for (int session = 0; session < load.sessions; ++session) {
            choices[session] = new Choice(load, session, 0, 1);
        }
        Random random = new Random(load.process);
        List<Future<Long>> running = new ArrayList<>();
        double due = CuratorPeer.nowMicros();
        for (int session = 0; due < load.end; session = (session + 1) % load.sessions) {
            long at = (long) due;
            TimeUnit.MICROSECONDS.sleep(at - CuratorPeer.nowMicros());
            InterProcessMutex lock = lockOf(sessions.get(session), load, choices[session].next());
            Future<Long> one = threads.submit(() -> grantedAfter(lock, at));
            if (at >= load.begin) {
                running.add(one);
            }
            due -= Math.log(1 - random.nextDouble()) * 1e6 / load.amount;
        }
        StringJoiner times = new StringJoiner(",");
        for (Future<Long> one : running) {
            times.add(Long.toString(one.get()));
        }
        return "us=" + times;
    }

    private static long grantedAfter(InterProcessMutex lock, long due) throws Exception {
        lock.acquire();
        long took = CuratorPeer.nowMicros() - due;
        lock.release();
        return took;
    }
}
