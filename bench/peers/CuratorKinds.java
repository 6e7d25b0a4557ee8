// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ThreadLocalRandom;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** The commands of turnstile_kinds.hpp by Curator's recipes. */
final class CuratorKinds {
    private final CuratorFramework client;

    CuratorKinds(CuratorFramework client) {
        this.client = client;
    }

    String readWrite(String[] words) throws Exception {
        String path = words[1];
        int writes = Integer.parseInt(words[3]);
        return CuratorPeer.countByThreads(
                Integer.parseInt(words[2]),
                words[4],
                words[5],
                () -> {
                    InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path);
                    return count -> {
                        boolean writer = ThreadLocalRandom.current().nextInt(100) < writes;
                        InterProcessMutex side = writer ? lock.writeLock() : lock.readLock();
                        side.acquire();
                        count.run();
                        side.release();
                    };
                });
    }

    String permit(String[] words) throws Exception {
        String path = words[1];
        int permits = Integer.parseInt(words[3]);
        return CuratorPeer.countByThreads(
                Integer.parseInt(words[2]),
                words[4],
                words[5],
                () -> {
                    InterProcessSemaphoreV2 all = new InterProcessSemaphoreV2(client, path, permits);
                    return count -> {
                        Lease lease = all.acquire();
                        count.run();
                        all.returnLease(lease);
                    };
                });
    }

    String lead(String[] words) throws Exception {
        String path = words[1];
        return CuratorPeer.countByThreads(
                1,
                words[2],
                words[3],
                () ->
                        count -> {
                            try (LeaderLatch participant = new LeaderLatch(client, path)) {
                                participant.start();
                                participant.await();
                                count.run();
                            }
                        });
    }
}
