// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/coordinator.hpp"

#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "guardian/guardian_link.hpp"
#include "modules/find.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/diagnosis.hpp"
#include "zookeeper/read_only_claim.hpp"
#include "zookeeper/security.hpp"
#include "zookeeper/zookeeper_session.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::chrono::seconds k_diagnosis{1};

class zookeeper_coordinator final : public core::coordinator {
public:
    zookeeper_coordinator(ensemble_address where, std::shared_ptr<guardian::guardian_link> guardian,
                          bool read_only)
        : where_{std::move(where)}, claim_{where_, read_only}, guardian_{std::move(guardian)} {}

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override {
        return std::make_unique<zookeeper_session>(where_, settings, sink, known_, guardian_);
    }

    [[nodiscard]] std::string_view chroot() const noexcept override { return where_.chroot; }

    [[nodiscard]] bool open_may_block() const noexcept override { return true; }

    [[nodiscard]] turnstile::promises promises() const override {
        return {.exclusion = exclusion_promise::proved,
                .order = order_promise::arrival,
                .waiting = waiting_promise::notified,
                .failover = failover_promise::survives,
                .loss = loss_promise::told,
                .token = token_promise::grows,
                .writes = write_promise::guarded,
                .crash = frees_at_once() ? crash_promise::at_once : crash_promise::session_timeout,
                .scope = scope_promise::cluster};
    }

    [[nodiscard]] bool frees_at_once() const noexcept override {
        return guardian_ && guardian_->guards();
    }

    [[nodiscard]] bool numbers_count_creates() const noexcept override { return true; }

    [[nodiscard]] std::string describe() const override { return to_string(where_); }

    [[nodiscard]] std::string diagnose() const override {
        const auto seen = known_->older.newest();
        auto found = zookeeper::diagnose(where_, k_diagnosis, seen);
        if (found.is_older) {
            log::write(log_level::warning, "{}; the client opens a new session", found.text);
            known_->older.found();
        }
        return std::move(found.text);
    }

    [[nodiscard]] std::optional<error> last_failure() const override {
        return known_->failure.get();
    }

private:
    const ensemble_address where_;
    const read_only_claim claim_;
    const std::shared_ptr<ensemble_facts> known_ = std::make_shared<ensemble_facts>();
    const std::shared_ptr<guardian::guardian_link> guardian_;
};

// Reads the certificate and password files, so that the caller gets an error at once if the settings have a mistake.
void check_files(const server_security& wanted) {
    if (auto files = context_for(wanted); !files.value)
        throw_error({errc::bad_option, std::move(files.fault)});
    if (!tls::is_enabled(wanted.sasl)) return;
    const auto exchange = exchange_for(wanted.sasl, {});
    if (!exchange.value) throw_error({errc::bad_option, exchange.fault});
    // DIGEST-MD5 needs only the password file for its first answer, so this function computes that answer. GSSAPI also
    // needs a Kerberos ticket, which the program may get later.
    if (wanted.sasl.mechanism == sasl_mechanism::digest_md5 && !exchange.value->answer({}))
        throw_error({errc::bad_option, exchange.value->reason()});
}

}  // namespace

std::unique_ptr<core::coordinator> make_coordinator(
    std::string_view connect_string, std::shared_ptr<guardian::guardian_link> guardian,
    bool read_only, const server_security& security) {
    auto where = parse_connect_string(connect_string).value();
    secure(where, security).value();
    if (const auto* const wanted = where.security()) {
        if (read_only)
            throw_error({errc::bad_option,
                         "attach_to_read_only: cannot be combined with TLS or SASL, because such "
                         "sessions attach only to servers that accept writes"});
        if (const auto module = modules::find(modules::module_kind::tls,
                                              wanted->tls.enabled ? k_secure_scheme : "sasl");
            !module)
            throw_error(module.error());
        check_files(*wanted);
    }
    return std::make_unique<zookeeper_coordinator>(std::move(where), std::move(guardian),
                                                   read_only);
}

}  // namespace turnstile::zookeeper
