import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/**
 * A client of Curator's InterProcessMutex that contends with Turnstile's.
 *
 * <pre>
 * CuratorContender contend CONNECT PATH GRANTS CRITICAL COUNTER
 * CuratorContender participants CONNECT PATH
 * </pre>
 *
 * <p>contend takes the lock so many times. Holding it, it makes the file CRITICAL, which must not
 * be there, adds one to the number in the file COUNTER (0 if it is empty or not there), and removes
 * CRITICAL. It prints "READY" once it is connected, and "granted COUNT" each time.
 *
 * <p>participants prints "participant NODE DATA" for each contender, in the order in which Curator
 * would grant them; DATA is read as UTF-8.
 *
 * <p>Exit status: 0 done, 1 anything that goes wrong, 2 usage, 3 the lock was held by two.
 */
public final class CuratorContender {
    private static final int SESSION_TIMEOUT_MS = 30_000;
    private static final int CONNECTION_TIMEOUT_MS = 15_000;
    private static final int RETRY_AFTER_MS = 100;
    private static final int VIOLATION = 3;

    private final CuratorFramework client;
    private final InterProcessMutex mutex;

    private CuratorContender(CuratorFramework client, String path) {
        this.client = client;
        this.mutex = new InterProcessMutex(client, path);
    }

    public static void main(String[] arguments) throws Exception {
        boolean contend = arguments.length == 6 && arguments[0].equals("contend");
        boolean participants = arguments.length == 3 && arguments[0].equals("participants");
        if (!contend && !participants) {
            System.err.println(
                    "usage: CuratorContender contend CONNECT PATH GRANTS CRITICAL COUNTER\n"
                            + "       CuratorContender participants CONNECT PATH");
            System.exit(2);
        }
        try (CuratorFramework client = connect(arguments[1])) {
            CuratorContender contender = new CuratorContender(client, arguments[2]);
            if (participants) {
                contender.printParticipants();
            } else {
                contender.contend(
                        Integer.parseInt(arguments[3]),
                        Path.of(arguments[4]),
                        Path.of(arguments[5]));
            }
        }
    }

    private static CuratorFramework connect(String servers) throws Exception {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(
                        servers,
                        SESSION_TIMEOUT_MS,
                        CONNECTION_TIMEOUT_MS,
                        new RetryOneTime(RETRY_AFTER_MS));
        client.start();
        if (!client.blockUntilConnected(CONNECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            client.close();
            throw new IOException("cannot connect to " + servers);
        }
        return client;
    }

    private void contend(int grants, Path critical, Path counter) throws Exception {
        System.out.println("READY");
        for (int i = 0; i < grants; ++i) {
            mutex.acquire();
            try {
                System.out.println("granted " + enterAndLeave(critical, counter));
            } finally {
                mutex.release();
            }
        }
    }

    private static long enterAndLeave(Path critical, Path counter) throws IOException {
        try {
            Files.writeString(critical, "curator", StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            System.out.println("violation: the lock is held by " + Files.readString(critical));
            System.exit(VIOLATION);
        }
        long count = read(counter) + 1;
        Files.writeString(counter, Long.toString(count));
        Files.delete(critical);
        return count;
    }

    private static long read(Path counter) throws IOException {
        String text = Files.exists(counter) ? Files.readString(counter).strip() : "";
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private void printParticipants() throws Exception {
        for (String node : mutex.getParticipantNodes()) {
            byte[] data = client.getData().forPath(node);
            String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
            System.out.println("participant " + node + " " + text);
        }
    }
}
