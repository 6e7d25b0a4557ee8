// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Waits until the test writes into a named pipe. */
final class Signal {
    private Signal() {}

    static void await(Path pipe) throws IOException {
        try (InputStream from = Files.newInputStream(pipe)) {
            if (from.read() < 0) {
                throw new IOException(pipe + " was closed");
            }
        }
    }
}
