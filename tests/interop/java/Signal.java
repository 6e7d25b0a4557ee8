import java.nio.file.Files;
import java.nio.file.Path;

/** A file that the test makes to let a program go on. */
final class Signal {
    private static final int LOOK_EVERY_MS = 5;

    private Signal() {}

    static void await(Path file) throws InterruptedException {
        while (!Files.exists(file)) {
            Thread.sleep(LOOK_EVERY_MS);
        }
    }
}
