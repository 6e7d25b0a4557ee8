// SPDX-License-Identifier: Apache-2.0
#include "redis/coordinator.hpp"

#include <fmt/core.h>

#include <atomic>
#include <utility>

#include "base/duration_text.hpp"
#include "base/out_of_memory.hpp"
#include "base/process.hpp"
#include "guardian/module_notice.hpp"
#include "redis/connect_string.hpp"
#include "redis/handshake.hpp"
#include "redis/known_servers.hpp"
#include "redis/master_search.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {
namespace {

constexpr std::chrono::seconds k_first_answer{1};
constexpr std::chrono::seconds k_examination{1};
constexpr std::chrono::milliseconds k_search{500};

// After fork(), the session's thread does not exist in the child, and the sockets belong to the parent. So in the
// child, all calls do nothing, and the destructor frees nothing.
class redis_session final : public core::coordinator_session {
public:
    redis_session(const redis_address& where, const core::session_settings& settings,
                  core::duration container_interval, std::shared_ptr<known_servers> known,
                  guardian::module_notice guarded, core::session_sink& sink)
        : link_{std::make_unique<session_link>(where, settings, container_interval,
                                               std::move(known), std::move(guarded), sink)} {
        if (const auto why = link_->first_refusal(k_first_answer)) throw_error(*why);
    }
    ~redis_session() override {
        redis_session::close();
        if (forked()) static_cast<void>(link_.release());  // its mutexes may stay locked
    }
    redis_session(const redis_session&) = delete;
    redis_session& operator=(const redis_session&) = delete;

    void submit(core::request&& request) override {
        if (!forked()) link_->submit(std::move(request), false);
    }
    void submit_with_next(core::request&& request) override {
        if (!forked()) link_->submit(std::move(request), true);
    }
    void forget_watches(const std::string& path) override {
        if (!forked()) link_->forget_watches(path);
    }
    [[nodiscard]] bool help(core::time_point until) noexcept override {
        return !forked() && base::finish_or_end("an answer of a Redis server",
                                                [&] { return link_->help(until); });
    }
    void look_for_another(const core::look_elsewhere& wanted) override {
        if (!forked()) link_->look_for_another(wanted);
    }
    void leave_server(std::uint64_t connection) override {
        if (!forked()) link_->leave_server(connection);
    }
    [[nodiscard]] core::session_identity identity() const override {
        return forked() ? core::session_identity{} : link_->identity();
    }
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override {
        return forked() ? std::nullopt : link_->servers_clock();
    }
    void close() noexcept override {
        if (!forked() && !closed_.exchange(true)) link_->close(true);
    }
    void abandon() noexcept override {
        if (!forked() && !closed_.exchange(true)) link_->close(false);
    }

private:
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

    const base::process_mark process_;
    std::atomic<bool> closed_{false};
    std::unique_ptr<session_link> link_;
};

class redis_coordinator final : public core::coordinator {
public:
    redis_coordinator(redis_address where, std::string text, const coordinator_options& options)
        : where_{std::move(where)}, text_{std::move(text)}, options_{options} {}

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override {
        guardian::module_notice guarded{options_.guardian, text_, settings};
        const auto own = guarded.for_server(settings);
        return std::make_unique<redis_session>(where_, own, options_.container_interval, known_,
                                               std::move(guarded), sink);
    }

    [[nodiscard]] std::string_view chroot() const noexcept override { return where_.chroot; }

    [[nodiscard]] bool open_may_block() const noexcept override { return true; }
    [[nodiscard]] bool takes_help() const noexcept override { return true; }

    // Asks the server for the facts on which the promises (guarantees to the user) depend. If the server cannot be
    // reached or refuses CONFIG, returns the promises of a server that may lose writes.
    [[nodiscard]] turnstile::promises promises() const override {
        const auto found = look();
        auto promised = promises_of(found.result == welcome::ok ? found.facts : server_facts{},
                                    where_.has_sentinels());
        if (frees_at_once()) promised.crash = crash_promise::at_once;
        return promised;
    }

    [[nodiscard]] bool frees_at_once() const noexcept override {
        return options_.guardian && options_.guardian->ends(text_);
    }

    [[nodiscard]] std::string describe() const override { return to_string(where_); }

    // Prefers the failure of the latest attempt to attach a session: such an attempt detects a server that refuses
    // writes, and look() does not.
    [[nodiscard]] std::string diagnose() const override {
        if (const auto known = last_failure()) return known->detail();
        const auto found = look();
        return found.result == welcome::ok ? found.reason + ": it answers" : found.reason;
    }

    [[nodiscard]] std::optional<error> last_failure() const override {
        return known_->failure.get();
    }

private:
    // Examines a server. The reason in the result begins with the server's address.
    [[nodiscard]] greeting look() const {
        const auto begin = boottime_clock::now();
        const auto trusted = make_tls_context(where_.tls);
        if (!trusted)
            return {.result = welcome::unfit,
                    .reason = to_string(where_) + ": " + trusted.error().message()};
        const auto* const tls = trusted->get();
        sentinel_inquiries sentinels;
        const auto found = find_servers(where_, tls, begin + k_search, -1,
                                        known_->replaced.least_epoch(begin), sentinels);
        auto deadline = begin + found.resolving + k_examination;
        greeting last{.result = found.result, .reason = found.reason};
        for (const auto& server : found.candidates) {
            last = look_at(server, tls, deadline);
            // A cluster node without the tree's keys names the node that has them.
            if (const auto further = last.moved_to) last = look_at(*further, tls, deadline);
            if (last.result != welcome::away) break;
        }
        return last;
    }

    [[nodiscard]] greeting look_at(const server_address& server, const tls::context* tls,
                                   core::time_point& deadline) const {
        line to{server, tls, -1};
        deadline += to.resolving();
        auto found = examine(to, where_, deadline, -1);
        found.reason = to_string(server) + (found.reason.empty() ? "" : ": ") + found.reason;
        return found;
    }

    const redis_address where_;
    const std::string text_;  // the connect string
    const coordinator_options options_;
    const std::shared_ptr<known_servers> known_ = std::make_shared<known_servers>();
};

}  // namespace

std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                    const coordinator_options& options) {
    auto where = parse_connect_string(connect_string).value();
    // If stay_out is shorter than the session timeout, the client could use a restarted server while another client
    // still relies on a lock from before the restart.
    if (where.stay_out != 0 && options.session_timeout > std::chrono::seconds{where.stay_out}) {
        const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(options.session_timeout);
        throw_error({errc::bad_connect_string,
                     fmt::format("{}: stay_out is shorter than the session timeout of {}",
                                 to_string(where), base::duration_text(timeout))});
    }
    return std::make_unique<redis_coordinator>(std::move(where), std::string{connect_string},
                                               options);
}

}  // namespace turnstile::redis
