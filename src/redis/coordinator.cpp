// SPDX-License-Identifier: Apache-2.0
#include "redis/coordinator.hpp"

#include <fmt/core.h>

#include <atomic>
#include <utility>

#include "base/process.hpp"
#include "redis/connect_string.hpp"
#include "redis/handshake.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {
namespace {

constexpr std::chrono::seconds k_first_answer{1};
constexpr std::chrono::seconds k_examination{1};

// In a forked child the thread does not exist and the sockets are the parent's: there all calls do nothing, and all
// is left where it is.
class session final : public core::coordinator_session {
public:
    session(const connect_string& where, const core::session_settings& settings,
            const coordinator_options& options, core::session_sink& sink)
        : generation_{base::process_generation()},
          link_{std::make_unique<session_link>(where, settings, options, sink)} {
        if (const auto why = link_->first_refusal(k_first_answer)) throw_error(*why);
    }
    ~session() override {
        session::close();
        if (forked()) static_cast<void>(link_.release());  // its locks may be taken for ever
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    void submit(core::request&& request) override {
        if (!forked()) link_->submit(std::move(request), false);
    }
    void submit_with_next(core::request&& request) override {
        if (!forked()) link_->submit(std::move(request), true);
    }
    void forget_watches(const std::string& path) override {
        if (!forked()) link_->forget_watches(path);
    }
    [[nodiscard]] core::session_identity identity() const override {
        return forked() ? core::session_identity{} : link_->identity();
    }
    void close() noexcept override {
        if (!forked() && !closed_.exchange(true)) link_->close(true);
    }
    void abandon() noexcept override {
        if (!forked() && !closed_.exchange(true)) link_->close(false);
    }

private:
    [[nodiscard]] bool forked() const noexcept { return base::process_generation() != generation_; }

    const std::uint64_t generation_;
    std::atomic<bool> closed_{false};
    std::unique_ptr<session_link> link_;
};

class servers final : public core::coordinator {
public:
    servers(connect_string where, const coordinator_options& options)
        : where_{std::move(where)}, options_{options} {}

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override {
        return std::make_unique<session>(where_, settings, options_, sink);
    }

    [[nodiscard]] std::size_t chroot_bytes() const noexcept override {
        return where_.chroot.size();
    }

    [[nodiscard]] bool open_may_block() const noexcept override { return true; }

    // The server is asked. One that cannot be asked just now, or does not tell appendfsync (CONFIG is refused), is
    // taken for one that may lose writes.
    [[nodiscard]] turnstile::promises promises() const override {
        const auto found = look();
        return promises_of(found.result == welcome::ok ? found.facts : server_facts{});
    }

    [[nodiscard]] std::string describe() const override { return to_string(where_); }

    [[nodiscard]] std::string diagnose() const override {
        const auto found = look();
        return fmt::format("{}: {}", address_of(where_),
                           found.result == welcome::ok ? "it answers" : found.reason);
    }

private:
    [[nodiscard]] greeting look() const {
        line to{where_.host, where_.port};
        return examine(to, where_, boottime_clock::now() + k_examination, -1);
    }

    const connect_string where_;
    const coordinator_options options_;
};

}  // namespace

std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                    const coordinator_options& options) {
    return std::make_unique<servers>(parse_connect_string(connect_string).value(), options);
}

}  // namespace turnstile::redis
