// SPDX-License-Identifier: Apache-2.0
// The in-memory back end: connect strings "local:", "local:name", "local:name/chroot".
//
// Gives locks inside one process without a server, with the behaviour of ZooKeeper's servers. All clients of the
// process that use the same name share one tree. The tree exists as long as one of these clients. If the chroot's znode
// does not exist, requests get `no_node`, as with servers.
//
// A session gets the timeout that its client requests, but never expires: only close() ends it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "turnstile/result.hpp"

namespace turnstile::local {

class world;

struct connect_string {
    std::string name;    // servers inside this process; clients with equal names share a tree
    std::string chroot;  // empty or "/a/b"
    friend bool operator==(const connect_string&, const connect_string&) = default;
};
// `text` has the form "local:name/chroot". Fails with `errc::bad_connect_string`. Pure functions.
[[nodiscard]] result<connect_string> parse_connect_string(std::string_view text);
[[nodiscard]] std::string to_string(const connect_string& value);

[[nodiscard]] bool is_local(std::string_view connect_string) noexcept;

// Thread safety: all members from any thread. After fork(), the parent's objects do nothing in the child. A coordinator
// that the child makes has a separate tree.
class coordinator final : public core::coordinator {
public:
    // Throws std::system_error: bad_connect_string.
    explicit coordinator(std::string_view connect_string);
    ~coordinator() override;
    coordinator(const coordinator&) = delete;
    coordinator& operator=(const coordinator&) = delete;

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override;
    [[nodiscard]] std::string_view chroot() const noexcept override { return where_.chroot; }
    [[nodiscard]] turnstile::promises promises() const override;
    [[nodiscard]] bool frees_at_once() const noexcept override { return true; }
    [[nodiscard]] bool numbers_count_creates() const noexcept override { return true; }
    [[nodiscard]] std::string describe() const override;

private:
    const connect_string where_;
    std::shared_ptr<world> world_;
};

// Throws std::system_error: bad_connect_string.
[[nodiscard]] std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string);

}  // namespace turnstile::local
