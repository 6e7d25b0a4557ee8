// SPDX-License-Identifier: Apache-2.0
// java_runtime: finds Java and the jars of ZooKeeper and Curator.
//
// Thread safety: any thread may call all functions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace turnstile::testing::detail {

enum class jars { server, server_with_tls, server_and_curator };

// Returns JAVA_HOME/bin/java, or the java in PATH. Throws std::runtime_error, which names the missing Debian package.
[[nodiscard]] std::string find_java();

// Returns the argument for -cp, which begins with `first` unless that is empty. Throws std::runtime_error, which names
// each missing jar and its Debian package.
[[nodiscard]] std::string class_path(jars which, const std::filesystem::path& first = {});

// Returns arguments for a Java virtual machine that starts fast, uses little memory, and writes no file in /tmp.
[[nodiscard]] std::vector<std::string> lean_arguments();

}  // namespace turnstile::testing::detail
