// SPDX-License-Identifier: Apache-2.0
// The in-memory back end: connect strings "local:", "local:name", "local:name/chroot".
//
// Gives locks inside one process without a server, with the behaviour of ZooKeeper's servers. All clients of the
// process that use the same name share one tree. The tree exists as long as one of these clients. If the chroot's znode
// does not exist, requests get `no_node`, as with servers.
//
// A session gets the timeout that its client requests, but never expires: only close() ends it.
//
//     in_memory_coordinator   the coordinator whose servers are in memory
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "turnstile/result.hpp"

namespace turnstile::local {

class world;

struct tree_address {
    std::string name;    // servers inside this process; clients with equal names share a tree
    std::string chroot;  // empty or "/a/b"
    friend bool operator==(const tree_address&, const tree_address&) = default;
};
// `text` has the form "local:name/chroot". Fails with `errc::bad_connect_string`. Pure functions.
[[nodiscard]] result<tree_address> parse_connect_string(std::string_view text);
[[nodiscard]] std::string to_string(const tree_address& value);

[[nodiscard]] bool is_local(std::string_view connect_string) noexcept;

// Thread safety: all members from any thread. After fork(), the parent's objects do nothing in the child. A coordinator
// that the child makes has a separate tree.
class in_memory_coordinator final : public core::coordinator {
public:
    // Throws std::system_error: bad_connect_string.
    explicit in_memory_coordinator(std::string_view connect_string);
    ~in_memory_coordinator() override;
    in_memory_coordinator(const in_memory_coordinator&) = delete;
    in_memory_coordinator& operator=(const in_memory_coordinator&) = delete;

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override;
    [[nodiscard]] std::string_view chroot() const noexcept override { return where_.chroot; }
    [[nodiscard]] turnstile::promises promises() const override;
    [[nodiscard]] bool frees_at_once() const noexcept override { return true; }
    [[nodiscard]] bool numbers_count_creates() const noexcept override { return true; }
    [[nodiscard]] std::string describe() const override;

private:
    const tree_address where_;
    std::shared_ptr<world> world_;
};

// Throws std::system_error: bad_connect_string.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string);

}  // namespace turnstile::local
