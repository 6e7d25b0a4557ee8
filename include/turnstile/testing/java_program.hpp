// SPDX-License-Identifier: Apache-2.0
// java_program: runs a Java class with Debian's ZooKeeper and Curator jars.
//
// Use it to test this library together with Java clients on the same servers.
//
//     java_program contender{"CuratorContender", class_folder};
//     process running = contender.start({"participants", servers.connect_string(), "/orders"}, log);
//
// Java comes from JAVA_HOME, or else from PATH. The jars are in /usr/share/java, or on the class path in
// the environment variable TURNSTILE_ZOOKEEPER_CLASSPATH.
//
// Thread safety: any thread may call const members.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "turnstile/testing/process.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// A Java class that can be run.
class java_program {
public:
    // Makes a program from the class `main_class` in `class_folder`, and starts nothing. Throws std::runtime_error if
    // Java, a jar or the class is missing; the message names the Debian package.
    java_program(std::string main_class, std::filesystem::path class_folder);

    // Starts the class with these arguments, and returns at once. The program's standard output and error are appended
    // to the file `output`. If `output` is empty, they are discarded.
    [[nodiscard]] process start(const std::vector<std::string>& arguments,
                                const std::filesystem::path& output = {}) const;

    // Runs the class with these arguments to its end, and returns its output. Throws std::runtime_error, with the
    // output, if the program does not exit with 0 before the deadline.
    std::string run(const std::vector<std::string>& arguments, test_deadline until = {}) const;

private:
    std::vector<std::string> command_;
};

}  // namespace turnstile::testing
