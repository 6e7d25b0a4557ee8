// SPDX-License-Identifier: Apache-2.0
// Paths in and out of a chroot, as the ZooKeeper clients handle the suffix of a connect string.
#pragma once

#include <string>
#include <utility>

#include "core/seam/seam.hpp"

namespace turnstile::local {

// A value; immutable after construction.
class chroot {
public:
    chroot() = default;
    // `prefix` is empty or a valid path other than "/".
    explicit chroot(std::string prefix) : prefix_{std::move(prefix)} {}

    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
    [[nodiscard]] std::string to_server(const std::string& path) const;
    [[nodiscard]] std::string to_client(const std::string& path) const;

    // All paths of a request on their way to the server, of a reply on its way back.
    void to_server(core::operation& op) const;
    void to_client(core::reply& r) const;

private:
    std::string prefix_;
};

}  // namespace turnstile::local
