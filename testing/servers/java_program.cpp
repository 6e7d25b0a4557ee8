// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/java_program.hpp"

#include <stdexcept>

#include "servers/java_runtime.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::testing {

java_program::java_program(std::string main_class, std::filesystem::path class_folder)
    : command_{detail::find_java()} {
    const auto file = class_folder / (main_class + ".class");
    if (!std::filesystem::exists(file)) {
        throw std::runtime_error{"no " + file.string() +
                                 ": compiling it needs javac and the jars of ZooKeeper and Curator "
                                 "(Debian packages default-jdk-headless, libzookeeper-java, "
                                 "libcurator-recipes-java)"};
    }
    const auto lean = detail::lean_arguments();
    command_.insert(command_.end(), lean.begin(), lean.end());
    command_.insert(command_.end(),
                    {"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
                     detail::class_path(detail::jars::server_and_curator, class_folder),
                     std::move(main_class)});
}

process java_program::start(const std::vector<std::string>& arguments,
                            const std::filesystem::path& output) const {
    auto command = command_;
    command.insert(command.end(), arguments.begin(), arguments.end());
    return process{{.command = std::move(command), .output = output}};
}

std::string java_program::run(const std::vector<std::string>& arguments,
                              test_deadline until) const {
    const temporary_folder scratch;
    process running = start(arguments, scratch.path() / "output");
    const bool ended = running.wait(until);
    if (!ended || running.exit_code() != 0) {
        const std::string how =
            ended ? "ended with " + std::to_string(*running.exit_code()) : "did not end in time";
        throw std::runtime_error{command_.back() + " " + how + ":\n" + running.output()};
    }
    return running.output();
}

}  // namespace turnstile::testing
