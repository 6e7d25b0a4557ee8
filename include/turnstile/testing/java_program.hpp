// SPDX-License-Identifier: Apache-2.0
// java_program: runs a Java class with Debian's ZooKeeper and Curator jars, to contend with the
// clients that users already have.
//
//     java_program contender{"CuratorContender", class_folder};
//     process running = contender.start({"participants", servers.connect_string(), "/orders"}, log);
//
// Java is looked for in JAVA_HOME, then in PATH; jars in /usr/share/java, or in the class path in
// the environment variable TURNSTILE_ZOOKEEPER_CLASSPATH.
//
// Thread safety: const members from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "turnstile/testing/process.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

class java_program {
public:
    // Throws std::runtime_error if Java, a jar or the class is missing; it names the Debian
    // package.
    java_program(std::string main_class, std::filesystem::path class_folder);

    // Returns at once. Output and errors go to `output`, appended; empty: nowhere.
    [[nodiscard]] process start(const std::vector<std::string>& arguments,
                                const std::filesystem::path& output = {}) const;

    // Runs it to its end and returns its output. Throws std::runtime_error, with the output, if it
    // does not exit with 0 before the deadline.
    std::string run(const std::vector<std::string>& arguments, test_deadline until = {}) const;

private:
    std::vector<std::string> command_;
};

}  // namespace turnstile::testing
