// SPDX-License-Identifier: Apache-2.0
// Adds and removes the chroot of paths, as the ZooKeeper clients do for the suffix of a connect string.
#pragma once

#include <string>
#include <utility>

#include "core/seam/seam.hpp"

namespace turnstile::local {

// A value, which does not change after its construction.
class chroot {
public:
    chroot() = default;
    // `prefix` is empty or a valid path other than "/".
    explicit chroot(std::string prefix) : prefix_{std::move(prefix)} {}

    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
    [[nodiscard]] std::string to_server(const std::string& path) const;
    [[nodiscard]] std::string to_client(const std::string& path) const;

    // `to_server` adds the chroot to all paths of a request, `to_client` removes it from the paths of a reply.
    void to_server(core::operation& op) const;
    void to_client(core::reply& r) const;

private:
    std::string prefix_;
};

}  // namespace turnstile::local
