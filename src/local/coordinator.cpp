// SPDX-License-Identifier: Apache-2.0
#include "local/coordinator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "base/masked.hpp"
#include "base/out_of_memory.hpp"
#include "base/path.hpp"
#include "local/chroot.hpp"
#include "local/link.hpp"
#include "local/world.hpp"
#include "local/znode_path.hpp"
#include "turnstile/error.hpp"

namespace turnstile::local {
namespace {

constexpr std::string_view k_scheme = "local:";

// Thread safety: as core::coordinator_session requires.
class in_memory_session final : public core::coordinator_session {
public:
    in_memory_session(std::shared_ptr<world> servers, std::shared_ptr<link> handle)
        : world_{std::move(servers)}, link_{std::move(handle)} {}
    ~in_memory_session() override { in_memory_session::close(); }
    in_memory_session(const in_memory_session&) = delete;
    in_memory_session& operator=(const in_memory_session&) = delete;

    void submit(core::request&& request) override { world_->submit(link_, std::move(request)); }

    void forget_watches(const std::string& path) override { world_->forget_watches(link_, path); }

    [[nodiscard]] core::session_identity identity() const override { return {link_->id(), {}}; }

    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override {
        return core::clock_reading{std::chrono::system_clock::now(), boottime_clock::now()};
    }

    void close() noexcept override {
        if (closed_.exchange(true)) return;
        base::finish_or_end("the end of a session", [this] { world_->close(link_); });
    }

private:
    const std::shared_ptr<world> world_;
    const std::shared_ptr<link> link_;
    std::atomic<bool> closed_{false};
};

}  // namespace

bool is_local(std::string_view connect_string) noexcept {
    return connect_string.starts_with(k_scheme);
}

result<tree_address> parse_connect_string(std::string_view text) {
    if (!is_local(text)) return base::refused_connect_string(text, "does not start with 'local:'");
    const std::string_view rest = text.substr(k_scheme.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const auto chroot = rest.substr(slash);
    if (chroot.size() > 1 && !client_accepts_path(chroot, path_use::plain))
        return base::refused_connect_string(
            text, "the text from the first '/' on must be a path that does not end in '/'");
    return tree_address{std::string{rest.substr(0, slash)},
                        std::string{chroot.size() > 1 ? chroot : std::string_view{}}};
}

std::string to_string(const tree_address& value) {
    return std::string{k_scheme} + value.name + value.chroot;
}

in_memory_coordinator::in_memory_coordinator(std::string_view text)
    : where_{parse_connect_string(text).value()} {
    world_ = world::named(where_.name);
}

in_memory_coordinator::~in_memory_coordinator() = default;

std::unique_ptr<core::coordinator_session> in_memory_coordinator::open(
    const core::session_settings& settings, core::session_sink& sink) {
    auto root = settings.whole_tree ? local::chroot{} : local::chroot{where_.chroot};
    auto handle = std::make_shared<link>(settings, sink, std::move(root), describe());
    auto opened = std::make_unique<in_memory_session>(world_, handle);
    world_->open(handle);
    return opened;
}

turnstile::promises in_memory_coordinator::promises() const {
    return {.exclusion = exclusion_promise::proved,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = failover_promise::none,
            .loss = loss_promise::told,
            .token = token_promise::grows,
            .writes = write_promise::guarded,
            .crash = crash_promise::at_once,
            .scope = scope_promise::process};
}

std::string in_memory_coordinator::describe() const {
    return to_string(where_);
}

std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string) {
    return std::make_unique<in_memory_coordinator>(connect_string);
}

}  // namespace turnstile::local
