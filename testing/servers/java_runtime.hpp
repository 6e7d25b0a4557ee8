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

// Returns JAVA_HOME/bin/java, or the java in PATH. Throws std::runtime_error that names the Debian package to install.
[[nodiscard]] std::string find_java();

// Returns the argument for -cp. `first`, if not empty, comes first in it. Throws std::runtime_error that names each
// missing jar and its Debian package.
[[nodiscard]] std::string class_path(jars which, const std::filesystem::path& first = {});

// Returns arguments that make a Java virtual machine start quickly, use little memory, and leave no file in /tmp.
[[nodiscard]] std::vector<std::string> lean_arguments();

}  // namespace turnstile::testing::detail
