// SPDX-License-Identifier: Apache-2.0
// java_runtime: finds Java and the jars of ZooKeeper and Curator.
//
// Thread safety: from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace turnstile::testing::detail {

enum class jars { server, server_with_tls, server_and_curator };

// Returns JAVA_HOME/bin/java, or java in PATH. Throws std::runtime_error that names Debian's package.
[[nodiscard]] std::string find_java();

// Returns the argument of -cp, with `first` in front if it is not empty. Throws std::runtime_error that names each
// missing jar and its Debian package.
[[nodiscard]] std::string class_path(jars which, const std::filesystem::path& first = {});

// Returns arguments for a virtual machine that starts quickly, stays small and leaves no file in /tmp.
[[nodiscard]] std::vector<std::string> lean_arguments();

}  // namespace turnstile::testing::detail
