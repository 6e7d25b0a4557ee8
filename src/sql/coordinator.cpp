// SPDX-License-Identifier: Apache-2.0
#include "sql/coordinator.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <utility>

#include "base/latest_failure.hpp"
#include "base/process.hpp"
#include "modules/entry.hpp"
#include "sql/connect_string.hpp"
#include "sql/dialects.hpp"
#include "sql/sql_session.hpp"
#include "sql/store.hpp"
#include "turnstile/error.hpp"

namespace turnstile::sql {
namespace {

constexpr std::chrono::milliseconds k_least_cleaning{100};

class sql_coordinator final : public core::coordinator {
public:
    sql_coordinator(database_address where, std::string text, const coordinator_settings& settings)
        : where_{std::move(where)}, text_{std::move(text)}, settings_{settings} {
        static_cast<void>(base::process_generation());  // the first call starts the count of forks
    }

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override {
        session_parts parts;
        parts.closing = std::make_shared<closing_signal>();
        auto own = settings;
        if (is_guarded()) {
            const auto& guarded = parts.guarded.emplace(settings_.guardian, text_, settings);
            own = guarded.for_server(settings);
        }
        parts.db = make_database(where_, own, {parts.closing, failures_, settings_.guardian});
        parts.failures = failures_;
        parts.server = describe();
        if (!settings.whole_tree) parts.chroot = where_.chroot;
        parts.container_interval = std::max(settings_.container_interval, k_least_cleaning);
        return std::make_unique<sql_session>(std::move(parts), settings, sink);
    }

    [[nodiscard]] std::string_view chroot() const noexcept override { return where_.chroot; }

    [[nodiscard]] turnstile::promises promises() const override {
        auto promised = promises_at(where_);
        if (frees_at_once()) promised.crash = crash_promise::at_once;
        return promised;
    }

    [[nodiscard]] bool frees_at_once() const noexcept override {
        return where_.kind == kind::sqlite || (is_guarded() && settings_.guardian->ends(text_));
    }

    [[nodiscard]] std::string describe() const override { return to_string(where_); }

    [[nodiscard]] std::string diagnose() const override {
        auto state = failures_->state();
        return state.empty() ? "has accepted no connection yet" : state;
    }

    [[nodiscard]] std::optional<error> last_failure() const override { return failures_->get(); }

private:
    // A guardian ends the sessions of a dead process. Sessions in a SQLite file need no guardian: other processes see
    // that the dead process's file lock has ended.
    [[nodiscard]] bool is_guarded() const noexcept {
        return settings_.guardian && where_.kind != kind::sqlite;
    }

    const database_address where_;
    const std::string text_;  // the connect string
    const coordinator_settings settings_;
    const std::shared_ptr<base::latest_failure> failures_ =
        std::make_shared<base::latest_failure>();
};

}  // namespace

std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                    const coordinator_settings& settings) {
    auto where = parse_connect_string(connect_string).value();
    return std::make_unique<sql_coordinator>(std::move(where), std::string{connect_string},
                                             settings);
}

std::shared_ptr<core::coordinator> make_servers(const modules::wanted_servers& wanted) {
    coordinator_settings settings;
    settings.guardian = wanted.guardian;
    return make_coordinator(wanted.connect_string, settings);
}

// The dead process may have a transaction in progress, which has locked the session's row. The removal of the row waits
// for that transaction. Later transactions of the dead process find no row, and change nothing.
result<void> end_orphan(const modules::orphaned_session& which, core::time_point until) {
    const auto where = parse_connect_string(which.connect_string);
    if (!where) return where.error();
    std::int64_t attachment = 0;
    const char* const last = which.proof.data() + which.proof.size();
    const auto parsed = std::from_chars(which.proof.data(), last, attachment);
    if (parsed.ec != std::errc{} || parsed.ptr != last)
        return error{errc::bad_option, "the secret of the session is no number"};
    core::session_settings settings;
    settings.timeout = std::max<core::duration>(until - boottime_clock::now(), {});
    try {
        const session_links alone{std::make_shared<closing_signal>(),
                                  std::make_shared<base::latest_failure>(), nullptr};
        const auto db = make_database(*where, settings, alone);
        db->connect();
        const auto found = store{*db, {}, {which.id, attachment, true}}.close();
        db->disconnect();
        if (found != close_outcome::held) return {};
        return error{errc::not_connected,
                     "a transaction of another program locks a row of the session"};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& failure) {
        return error{errc::not_connected, failure.what()};
    }
}

}  // namespace turnstile::sql
