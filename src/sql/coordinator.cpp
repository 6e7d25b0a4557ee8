// SPDX-License-Identifier: Apache-2.0
#include "sql/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "base/process.hpp"
#include "modules/entry.hpp"
#include "sql/connect_string.hpp"
#include "sql/dialects.hpp"
#include "sql/sql_session.hpp"

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

}  // namespace turnstile::sql
