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

// JAVA_HOME/bin/java, else java in PATH. Throws std::runtime_error that names Debian's package.
[[nodiscard]] std::string find_java();

// What -cp takes, with `first` in front if it is not empty. Throws std::runtime_error that names
// each missing jar and its Debian package.
[[nodiscard]] std::string class_path(jars which, const std::filesystem::path& first = {});

// Arguments for a virtual machine that starts quickly, stays small and leaves nothing in /tmp.
[[nodiscard]] std::vector<std::string> lean_arguments();

}  // namespace turnstile::testing::detail
