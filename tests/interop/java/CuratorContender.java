// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * A client of Curator's InterProcessMutex that contends with Turnstile's.
 *
 * <pre>
 * CuratorContender contend CONNECT PATH GRANTS FOLDER
 * CuratorContender participants CONNECT PATH
 * </pre>
 *
 * <p>contend takes the lock GRANTS times, and each time enters the CriticalSection of FOLDER as a writer. It prints
 * "READY" when it is connected, and "granted COUNT" at each grant.
 *
 * <p>participants prints "participant NODE DATA" for each contender, in the order in which Curator would grant them the
 * lock. DATA is read as UTF-8.
 *
 * <p>Exit status: 0 success, 1 any failure, 2 wrong usage, 3 two clients held the lock at once.
 */
public final class CuratorContender {
    private final CuratorFramework client;
    private final InterProcessMutex mutex;

    private CuratorContender(CuratorFramework client, String path) {
        this.client = client;
        this.mutex = new InterProcessMutex(client, path);
    }

    public static void main(String[] arguments) throws Exception {
        boolean contend = arguments.length == 5 && arguments[0].equals("contend");
        boolean participants = arguments.length == 3 && arguments[0].equals("participants");
        if (!contend && !participants) {
            System.err.println(
                    "usage: CuratorContender contend CONNECT PATH GRANTS FOLDER\n"
                            + "       CuratorContender participants CONNECT PATH");
            System.exit(2);
        }
        try (CuratorFramework client = CuratorConnection.open(arguments[1])) {
            CuratorContender contender = new CuratorContender(client, arguments[2]);
            if (participants) {
                contender.printParticipants();
            } else {
                contender.contend(
                        Integer.parseInt(arguments[3]),
                        new CriticalSection(Path.of(arguments[4])));
            }
        }
    }

    private void contend(int grants, CriticalSection section) throws Exception {
        System.out.println("READY");
        for (int i = 0; i < grants; ++i) {
            mutex.acquire();
            try {
                System.out.println("granted " + section.write());
            } finally {
                mutex.release();
            }
        }
    }

    private void printParticipants() throws Exception {
        for (String node : mutex.getParticipantNodes()) {
            byte[] data = client.getData().forPath(node);
            String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
            System.out.println("participant " + node + " " + text);
        }
    }
}
