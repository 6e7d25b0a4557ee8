// SPDX-License-Identifier: Apache-2.0
#include "local/coordinator.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/out_of_memory.hpp"
#include "local/chroot.hpp"
#include "local/link.hpp"
#include "local/world.hpp"
#include "local/znode_path.hpp"
#include "turnstile/error.hpp"

namespace turnstile::local {
namespace {

constexpr std::string_view k_scheme = "local:";

// Thread safety: as core::coordinator_session.
class session final : public core::coordinator_session {
public:
    session(std::shared_ptr<world> servers, std::shared_ptr<link> handle)
        : world_{std::move(servers)}, link_{std::move(handle)} {}
    ~session() override { session::close(); }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    void submit(core::request&& request) override { world_->submit(link_, std::move(request)); }

    void forget_watches(const std::string& path) override { world_->forget_watches(link_, path); }

    [[nodiscard]] core::session_identity identity() const override { return {link_->id(), {}}; }

    void close() noexcept override {
        if (closed_.exchange(true)) return;
        base::finish_or_end("the end of a session", [this] { world_->close(link_); });
    }

private:
    const std::shared_ptr<world> world_;
    const std::shared_ptr<link> link_;
    std::atomic<bool> closed_{false};
};

// The part behind the name: "" or "/a/b".
std::string checked_chroot(std::string_view connect_string, std::string_view suffix) {
    if (suffix.empty() || suffix == "/") return {};
    if (!client_accepts_path(suffix, path_use::plain)) {
        throw_error({errc::bad_connect_string, "'" + std::string{connect_string} +
                                                   "': the part from the first '/' on must be "
                                                   "a path that does not end in '/'"});
    }
    return std::string{suffix};
}

}  // namespace

bool is_local(std::string_view connect_string) noexcept {
    return connect_string.starts_with(k_scheme);
}

coordinator::coordinator(std::string_view connect_string) {
    if (!is_local(connect_string)) {
        throw_error({errc::bad_connect_string,
                     "'" + std::string{connect_string} + "' does not start with 'local:'"});
    }
    const std::string_view rest = connect_string.substr(k_scheme.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    chroot_ = checked_chroot(connect_string, rest.substr(slash));
    world_ = world::named(std::string{rest.substr(0, slash)});
}

coordinator::~coordinator() = default;

std::unique_ptr<core::coordinator_session> coordinator::open(const core::session_settings& settings,
                                                             core::session_sink& sink) {
    auto handle = std::make_shared<link>(settings, sink, chroot{chroot_}, describe());
    auto opened = std::make_unique<session>(world_, handle);
    world_->open(handle);
    return opened;
}

turnstile::promises coordinator::promises() const {
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

std::string coordinator::describe() const {
    return std::string{k_scheme} + world_->name() + chroot_;
}

std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string) {
    return std::make_unique<coordinator>(connect_string);
}

}  // namespace turnstile::local
