// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Connects the tests' programs to the servers. */
final class CuratorConnection {
    private static final int SESSION_TIMEOUT_MS = 30_000;
    private static final int CONNECTION_TIMEOUT_MS = 15_000;
    private static final int RETRY_AFTER_MS = 100;

    private CuratorConnection() {}

    /** Returns a connected client. Throws IOException if no server answers in time. */
    static CuratorFramework open(String servers) throws Exception {
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
}
