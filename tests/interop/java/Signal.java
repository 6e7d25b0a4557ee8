// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A named pipe into which the test writes to let a program go on. */
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
