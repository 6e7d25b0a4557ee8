// SPDX-License-Identifier: Apache-2.0
import java.io.EOFException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListener;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;

/**
 * A participant that uses Curator's LeaderLatch or LeaderSelector, in an election with turnstile::leader.
 *
 * <pre>
 * CuratorLatch terms CONNECT PATH ID TERMS FOLDER
 * CuratorLatch lead CONNECT PATH ID SIGNAL
 * CuratorLatch select CONNECT PATH ID SIGNAL
 * CuratorLatch participants CONNECT PATH
 * </pre>
 *
 * <p>terms takes part TERMS times. While it leads, it is in the CriticalSection of FOLDER as a writer. In each term but
 * the last, it leads until another participant waits.
 *
 * <p>lead takes part in the election, prints "leads" when it leads, and closes when the test writes into the named pipe
 * SIGNAL. select does the same with one term of a LeaderSelector. terms, lead and select print "READY" when they are
 * connected.
 *
 * <p>participants prints "participant ID leads" or "participant ID waits" for each participant.
 *
 * <p>Exit status: 0 success, 1 any failure, 2 wrong usage, 3 two participants led at once.
 */
public final class CuratorLatch {
    private final CuratorFramework client;
    private final String path;

    private CuratorLatch(CuratorFramework client, String path) {
        this.client = client;
        this.path = path;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 3) {
            usage();
        }
        try (CuratorFramework client = CuratorConnection.open(arguments[1])) {
            new CuratorLatch(client, arguments[2]).run(arguments);
        }
    }

    private static void usage() {
        System.err.println(
                "usage: CuratorLatch terms CONNECT PATH ID TERMS FOLDER\n"
                        + "       CuratorLatch lead CONNECT PATH ID SIGNAL\n"
                        + "       CuratorLatch select CONNECT PATH ID SIGNAL\n"
                        + "       CuratorLatch participants CONNECT PATH");
        System.exit(2);
    }

    private void run(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "terms" ->
                    terms(
                            arguments[3],
                            Integer.parseInt(arguments[4]),
                            new CriticalSection(Path.of(arguments[5])));
            case "lead" -> lead(arguments[3], Path.of(arguments[4]));
            case "select" -> select(arguments[3], Path.of(arguments[4]));
            case "participants" -> printParticipants();
            default -> usage();
        }
    }

    private void terms(String id, int terms, CriticalSection section) throws Exception {
        System.out.println("READY");
        for (int i = 0; i < terms; ++i) {
            try (LeaderLatch latch = new LeaderLatch(client, path, id)) {
                latch.start();
                await(latch);
                section.enter();
                if (i + 1 < terms) {
                    awaitAnotherParticipant();
                }
                section.leave();
            }
        }
    }

    private void awaitAnotherParticipant() throws Exception {
        for (; ; ) {
            CountDownLatch changed = new CountDownLatch(1);
            CuratorWatcher watcher = event -> changed.countDown();
            if (client.getChildren().usingWatcher(watcher).forPath(path).size() >= 2) {
                return;
            }
            changed.await();
        }
    }

    private void lead(String id, Path signal) throws Exception {
        System.out.println("READY");
        try (LeaderLatch latch = new LeaderLatch(client, path, id)) {
            latch.start();
            await(latch);
            System.out.println("leads");
            Signal.await(signal);
        }
        System.out.println("closed");
    }

    private void select(String id, Path signal) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        LeaderSelectorListener duty =
                new LeaderSelectorListenerAdapter() {
                    @Override
                    public void takeLeadership(CuratorFramework mine) throws Exception {
                        System.out.println("leads");
                        Signal.await(signal);
                        over.countDown();
                    }
                };
        System.out.println("READY");
        try (LeaderSelector selector = new LeaderSelector(client, path, duty)) {
            selector.setId(id);
            selector.start();
            over.await();
        }
        System.out.println("closed");
    }

    private static void await(LeaderLatch latch) throws InterruptedException {
        try {
            latch.await();
        } catch (EOFException e) {
            throw new IllegalStateException("the latch was closed", e);
        }
    }

    private void printParticipants() throws Exception {
        for (Participant one : new LeaderLatch(client, path).getParticipants()) {
            System.out.println(
                    "participant " + one.getId() + (one.isLeader() ? " leads" : " waits"));
        }
    }
}
