// SPDX-License-Identifier: Apache-2.0
#include "servers/java_runtime.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "servers/server_root.hpp"

namespace turnstile::testing::detail {

namespace {

constexpr const char* k_zookeeper_root = "TURNSTILE_TEST_ZOOKEEPER";
constexpr const char* k_jar_folder = "usr/share/java";
constexpr const char* k_class_path_variable = "TURNSTILE_ZOOKEEPER_CLASSPATH";

struct jar {
    const char* file;
    const char* package;
};

// The manifest of Debian's zookeeper.jar names the jars that it needs, except Netty's jars for TLS.
constexpr jar k_tls_jars[] = {{"netty-codec.jar", "libnetty-java"},
                              {"netty-resolver.jar", "libnetty-java"}};
constexpr jar k_server_jars[] = {{"zookeeper.jar", "libzookeeper-java"},
                                 {"zookeeper-jute.jar", "libzookeeper-java"},
                                 {"slf4j-simple.jar", "libslf4j-java"}};
constexpr jar k_curator_jars[] = {{"curator-client.jar", "libcurator-client-java"},
                                  {"curator-framework.jar", "libcurator-framework-java"},
                                  {"curator-recipes.jar", "libcurator-recipes-java"},
                                  {"guava.jar", "libguava-java"}};

template <std::size_t N>
void append(const jar (&wanted)[N], std::string& path, std::string& missing) {
    for (const auto& [file, package] : wanted) {
        const auto full = std::filesystem::path{"/"} / k_jar_folder / file;
        if (std::filesystem::exists(full)) {
            path += ':' + full.string();
        } else {
            missing += "\n  " + full.string() + " (Debian package " + package + ")";
        }
    }
}

// Returns all jars of the chosen version of ZooKeeper, because versions need different jars. If there are several
// loggers, takes the first.
std::string class_path_of(const std::filesystem::path& root) {
    const auto folder = root / k_jar_folder;
    if (!std::filesystem::exists(folder / "zookeeper.jar"))
        throw std::runtime_error{std::string{k_zookeeper_root} + "=" + root.string() +
                                 ": usr/share/java/zookeeper.jar is not there"};
    return ':' + (folder / "slf4j-simple.jar").string() + ':' + (folder / "*").string();
}

bool executable(const std::filesystem::path& file) {
    return ::access(file.c_str(), X_OK) == 0;
}

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::string find_java() {
    if (const char* home = environment("JAVA_HOME")) {
        const auto java = std::filesystem::path{home} / "bin" / "java";
        if (executable(java)) return java;
    }
    const char* path = environment("PATH");
    std::istringstream folders{path != nullptr ? path : "/usr/bin:/bin"};
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto java = std::filesystem::path{folder.empty() ? "." : folder} / "java";
        if (executable(java)) return java;
    }
    throw std::runtime_error{
        "no java in JAVA_HOME or PATH (Debian package default-jre-headless or "
        "default-jdk-headless)"};
}

std::string class_path(jars which, const std::filesystem::path& first) {
    std::string path;
    std::string missing;
    const auto root = server_root(k_zookeeper_root);
    if (const char* given = environment(k_class_path_variable)) {
        path = std::string{":"} + given;
    } else if (which != jars::server_and_curator && !is_system(root)) {
        path = class_path_of(root);
    } else {
        append(k_server_jars, path, missing);
        if (which == jars::server_with_tls) append(k_tls_jars, path, missing);
        if (which == jars::server_and_curator) append(k_curator_jars, path, missing);
    }
    if (!missing.empty()) {
        throw std::runtime_error{"missing jars:" + missing + "\nor set " + k_class_path_variable};
    }
    return first.empty() ? path.substr(1) : first.string() + path;
}

std::vector<std::string> lean_arguments() {
    return {"-Xmx128m",         "-Xss512k",         "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto"};
}

}  // namespace turnstile::testing::detail
