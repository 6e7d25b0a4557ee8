// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/coordinator.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/process.hpp"
#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "modules/find.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/c_session.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/diagnosis.hpp"
#include "zookeeper/read_only_claim.hpp"
#include "zookeeper/security.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::chrono::seconds k_diagnosis{1};

// Implements core::coordinator_session by a c_session, and does nothing in a child of fork().
//
// In a child the C client's threads do not exist, and its sockets belong to the parent. Closing the handle there would
// hang, and would end the parent's session. So in a child all calls do nothing, and the destructor frees nothing.
//
// The C client does not set close-on-exec on its descriptors, and its interface does not name them. A program that
// starts other programs must itself close these descriptors in the child (close_range), if the other programs must not
// inherit them.
//
// Thread safety: all members from any thread. Exception: the sink, the core's object that receives the replies and
// events, must not call `close`.
class zookeeper_session final : public core::coordinator_session {
public:
    zookeeper_session(const ensemble_address& servers, const core::session_settings& settings,
                      core::session_sink& sink, std::shared_ptr<ensemble_facts> known,
                      std::shared_ptr<guardian::guardian_link> guardian);
    ~zookeeper_session() override;
    zookeeper_session(const zookeeper_session&) = delete;
    zookeeper_session& operator=(const zookeeper_session&) = delete;

    void submit(core::request&& request) override;
    void forget_watches(const std::string& path) override;
    void seek_leader(std::uint64_t connection) override;
    void look_for_another(const core::look_elsewhere& wanted) override;
    void leave_server(std::uint64_t connection) override;
    [[nodiscard]] core::session_identity identity() const override;
    [[nodiscard]] std::optional<core::clock_reading> servers_clock() const override;
    void close() noexcept override;

private:
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

    const base::process_mark process_;
    std::atomic<bool> closed_{false};
    const std::shared_ptr<ensemble_facts> known_;
    std::unique_ptr<c_session> client_;
};

zookeeper_session::zookeeper_session(const ensemble_address& servers,
                                     const core::session_settings& settings,
                                     core::session_sink& sink,
                                     std::shared_ptr<ensemble_facts> known,
                                     std::shared_ptr<guardian::guardian_link> guardian)
    : known_{std::move(known)},
      client_{std::make_unique<c_session>(servers, settings, sink, known_, std::move(guardian))} {
    known_->older.add(client_.get(), [own = client_.get()] { own->give_up_to_older_data(); });
}

zookeeper_session::~zookeeper_session() {
    close();
    if (forked()) static_cast<void>(client_.release());  // its mutexes may stay locked
}

void zookeeper_session::submit(core::request&& request) {
    if (!forked()) client_->submit(std::move(request));
}

void zookeeper_session::forget_watches(const std::string& path) {
    if (!forked()) client_->forget_watches(path);
}

void zookeeper_session::seek_leader(std::uint64_t connection) {
    if (!forked()) client_->seek_leader(connection);
}

void zookeeper_session::look_for_another(const core::look_elsewhere& wanted) {
    if (!forked()) client_->look_for_another(wanted);
}

void zookeeper_session::leave_server(std::uint64_t connection) {
    if (!forked()) client_->leave_server(connection);
}

core::session_identity zookeeper_session::identity() const {
    return forked() ? core::session_identity{} : client_->identity();
}

std::optional<core::clock_reading> zookeeper_session::servers_clock() const {
    return forked() ? std::nullopt : client_->servers_clock();
}

void zookeeper_session::close() noexcept {
    if (forked() || closed_.exchange(true)) return;
    known_->older.remove(client_.get());
    client_->close();
}

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
