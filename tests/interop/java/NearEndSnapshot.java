// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * Writes the data of a server in which the sequence counter of a znode is near its end at 2^31. Only a year of creates
 * would raise a real counter so far.
 *
 * <pre>NearEndSnapshot FOLDER PATH NEXT</pre>
 *
 * <p>The program creates FOLDER, which can be the dataDir of a standalone server, or of each server of a new ensemble.
 * The data contain the persistent znode PATH without children, and the parents of PATH. The next sequential child of
 * PATH gets the number NEXT.
 */
public final class NearEndSnapshot {
    private final DataTree tree = new DataTree();
    private long zxid = 0;

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 3) {
            System.err.println("usage: NearEndSnapshot FOLDER PATH NEXT");
            System.exit(2);
        }
        NearEndSnapshot snapshot = new NearEndSnapshot();
        snapshot.makeFolders(arguments[1]);
        snapshot.setNextSequence(arguments[1], Integer.parseInt(arguments[2]));
        snapshot.save(new File(arguments[0]));
    }

    private void makeFolders(String path) throws Exception {
        for (int end = path.indexOf('/', 1); ; end = path.indexOf('/', end + 1)) {
            String folder = end < 0 ? path : path.substring(0, end);
            int parentCversion = -1; // greater by one than before
            long now = System.currentTimeMillis();
            tree.createNode(
                    folder,
                    new byte[0],
                    ZooDefs.Ids.OPEN_ACL_UNSAFE,
                    0,
                    parentCversion,
                    ++zxid,
                    now);
            if (end < 0) {
                return;
            }
        }
    }

    /** The server takes the number of a new sequential znode from the internal cversion of its parent. */
    private void setNextSequence(String path, int next) throws Exception {
        tree.setCversionPzxid(path, next, ++zxid);
    }

    private void save(File folder) throws Exception {
        tree.lastProcessedZxid = zxid;
        FileTxnSnapLog log = new FileTxnSnapLog(folder, folder);
        log.save(tree, new ConcurrentHashMap<>(), true);
        log.close();
    }
}
