// SPDX-License-Identifier: Apache-2.0
// chroot: adds a chroot to paths and removes it, as ZooKeeper's clients do with the path at the end of a connect
// string.
#pragma once

#include <string>
#include <utility>

#include "core/seam/seam.hpp"

namespace turnstile::local {

// A value: a chroot object does not change after its construction.
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
