// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Creates files under a lock, so that the file system detects two holders. interop/critical_section.hpp uses the same
 * files in the same folder.
 *
 * <p>A writer creates the file "writer". The file must not exist before, and no reader's file may exist then. When
 * the writer leaves, it adds one to the number in the file "counter" and removes "writer". A reader creates a file
 * "reader-..." with a unique name, while "writer" must not exist. If a file exists that must not exist, the program
 * prints "violation: ..." and exits with status 3.
 */
final class CriticalSection {
    private static final int VIOLATION = 3;

    private final Path folder;
    private final Path writer;
    private final Path counter;

    CriticalSection(Path folder) {
        this.folder = folder;
        this.writer = folder.resolve("writer");
        this.counter = folder.resolve("counter");
    }

    /** Enters as a writer. */
    void enter() throws IOException {
        try {
            Files.writeString(writer, "java", StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            violation("a writer meets " + Files.readString(writer));
        }
        try (DirectoryStream<Path> readers = Files.newDirectoryStream(folder, "reader-*")) {
            for (Path reader : readers) {
                violation("a writer meets " + reader.getFileName());
            }
        }
    }

    /** Leaves as a writer. Returns the new count. */
    long leave() throws IOException {
        long count = count() + 1;
        Files.writeString(counter, Long.toString(count));
        Files.delete(writer);
        return count;
    }

    long write() throws IOException {
        enter();
        return leave();
    }

    /** Enters and leaves as a reader. Returns the count. */
    long read() throws IOException {
        Path reader = folder.resolve("reader-" + UUID.randomUUID());
        Files.createFile(reader);
        long before = count();
        if (Files.exists(writer) || count() != before) {
            violation("a reader meets a writer");
        }
        Files.delete(reader);
        return before;
    }

    private static void violation(String what) {
        System.out.println("violation: " + what);
        System.exit(VIOLATION);
    }

    private long count() throws IOException {
        String text = Files.exists(counter) ? Files.readString(counter).strip() : "";
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
