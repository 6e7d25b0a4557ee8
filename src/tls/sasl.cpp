// SPDX-License-Identifier: Apache-2.0
#include "tls/sasl.hpp"

#include <sasl/sasl.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/private_file.hpp"

namespace turnstile::tls {
namespace {

constexpr const char* k_service = "zookeeper";
// Every ZooKeeper server has this name in an exchange with DIGEST-MD5, whatever its host is.
constexpr const char* k_digest_server = "zk-sasl-md5";

// Cyrus SASL stores each callback as a function without arguments, and casts it back before the call.
using any_callback = int (*)();

template <class Function>
any_callback erased(Function* function) noexcept {
    return reinterpret_cast<any_callback>(reinterpret_cast<void*>(function));
}

int no_log(void*, int, const char*) noexcept {
    return SASL_OK;
}

// Initializes Cyrus SASL once. Never shuts it down, because other libraries may also use it.
bool begin_cyrus() noexcept {
    static const bool begun = ::sasl_client_init(nullptr) == SASL_OK;
    return begun;
}

// Returns a lock that serializes exchanges with DIGEST-MD5. The plugin caches finished exchanges, and protects its
// cache only if the program has given Cyrus SASL mutexes. GSSAPI has no cache and may wait for a Kerberos server, so
// its exchanges run in parallel.
std::unique_lock<std::mutex> turn_of(sasl_mechanism which) {
    static std::mutex one_at_a_time;
    if (which == sasl_mechanism::gssapi) return {};
    return std::unique_lock{one_at_a_time};
}

class cyrus_exchange final : public sasl_exchange {
public:
    cyrus_exchange(const sasl_options& wanted, const std::string& host, const std::string& password)
        : mechanism_{wanted.mechanism},
          user_{wanted.user},
          secret_(sizeof(sasl_secret_t) + password.size()) {
        auto* const secret = reinterpret_cast<sasl_secret_t*>(secret_.data());
        secret->len = password.size();
        std::memcpy(secret->data, password.data(), password.size());
        callbacks_ = {{{SASL_CB_USER, erased(&give_user), this},
                       {SASL_CB_AUTHNAME, erased(&give_user), this},
                       {SASL_CB_PASS, erased(&give_secret), this},
                       {SASL_CB_GETREALM, erased(&choose_realm), this},
                       {SASL_CB_LOG, erased(&no_log), nullptr},
                       {SASL_CB_LIST_END, nullptr, nullptr}}};
        const auto turn = turn_of(mechanism_);
        const bool by_ticket = mechanism_ == sasl_mechanism::gssapi;
        const auto& named = wanted.server_name.empty() ? host : wanted.server_name;
        const char* const service = wanted.service.empty() ? k_service : wanted.service.c_str();
        if (::sasl_client_new(service, by_ticket ? named.c_str() : k_digest_server, nullptr,
                              nullptr, callbacks_.data(), 0, &own_) != SASL_OK) {
            reason_ = "Cyrus SASL cannot begin an exchange";
            return;
        }
        // Switches SASL's own encryption off: the exchange only authenticates the client.
        sasl_security_properties_t plain{};
        static_cast<void>(::sasl_setprop(own_, SASL_SEC_PROPS, &plain));
    }
    ~cyrus_exchange() override {
        const auto turn = turn_of(mechanism_);
        ::sasl_dispose(&own_);
        ::explicit_bzero(secret_.data(), secret_.size());
    }

    [[nodiscard]] std::optional<std::string> answer(std::string_view token) override {
        if (!reason_.empty()) return std::nullopt;
        const auto turn = turn_of(mechanism_);
        // A mechanism may fail without setting an error text. Without this default, the client would report the
        // error text of an earlier step.
        ::sasl_seterror(own_, SASL_NOLOG, "the server's token is not the expected one");
        const char* out = nullptr;
        unsigned length = 0;
        const int code =
            std::exchange(begun_, true)
                ? ::sasl_client_step(own_, token.data(), static_cast<unsigned>(token.size()),
                                     nullptr, &out, &length)
                : begin(&out, &length);
        if (code != SASL_OK && code != SASL_CONTINUE) {
            reason_ = code == SASL_NOMECH
                          ? absence()
                          : std::string{"the SASL exchange failed: "} + ::sasl_errdetail(own_);
            return std::nullopt;
        }
        complete_ = code == SASL_OK;
        return out == nullptr ? std::string{} : std::string{out, length};
    }
    [[nodiscard]] bool is_complete() const noexcept override { return complete_; }
    [[nodiscard]] std::string reason() const override { return reason_; }

private:
    // Starts the exchange. With GSSAPI the client sends the first token, with DIGEST-MD5 the server. If this call
    // passed a buffer for DIGEST-MD5, Cyrus SASL would resume an earlier exchange from its cache, with that exchange's
    // password.
    int begin(const char** out, unsigned* length) {
        const auto name = std::string{name_of(mechanism_)};
        const bool first = mechanism_ == sasl_mechanism::gssapi;
        return ::sasl_client_start(own_, name.c_str(), nullptr, first ? out : nullptr,
                                   first ? length : nullptr, nullptr);
    }
    [[nodiscard]] std::string absence() const {
        const char* const package = mechanism_ == sasl_mechanism::gssapi
                                        ? "libsasl2-modules-gssapi-mit"
                                        : "libsasl2-modules";
        return "this system has no SASL mechanism " + std::string{name_of(mechanism_)} +
               " (Debian's package " + package + ")";
    }
    static int give_user(void* self, int, const char** result, unsigned* length) noexcept {
        const auto& user = static_cast<cyrus_exchange*>(self)->user_;
        *result = user.c_str();
        if (length != nullptr) *length = static_cast<unsigned>(user.size());
        return SASL_OK;
    }
    static int give_secret(sasl_conn_t*, void* self, int, sasl_secret_t** secret) noexcept {
        auto& bytes = static_cast<cyrus_exchange*>(self)->secret_;
        *secret = reinterpret_cast<sasl_secret_t*>(bytes.data());
        return SASL_OK;
    }
    // Returns the first realm that the server offers: ZooKeeper servers have only one.
    static int choose_realm(void*, int, const char** offered, const char** result) noexcept {
        *result = offered != nullptr && *offered != nullptr ? *offered : "";
        return SASL_OK;
    }

    const sasl_mechanism mechanism_;
    const std::string user_;
    std::vector<char> secret_;  // a sasl_secret_t
    std::array<sasl_callback_t, 6> callbacks_{};
    sasl_conn_t* own_ = nullptr;
    bool begun_ = false;
    bool complete_ = false;
    std::string reason_;
};

std::string password_of(const sasl_options& wanted) {
    if (wanted.password_file.empty()) return wanted.password;
    if (auto why = support::fault_of_repeated_reads(wanted.password_file); !why.empty())
        throw std::runtime_error{std::move(why)};
    return support::first_line_of_private_file(wanted.password_file);
}

}  // namespace

sasl_outcome make_sasl_exchange(const sasl_options& wanted, const std::string& host) {
    if (!begin_cyrus()) return {nullptr, "sasl: Cyrus SASL cannot be initialized"};
    std::string password;
    try {
        password = password_of(wanted);
    } catch (const std::exception& failure) {
        return {nullptr, std::string{"sasl_password_file="} + failure.what()};
    }
    auto exchange = std::make_unique<cyrus_exchange>(wanted, host, password);
    ::explicit_bzero(password.data(), password.size());
    if (auto why = exchange->reason(); !why.empty()) return {nullptr, std::move(why)};
    return {std::move(exchange), {}};
}

void prepare_sasl() noexcept {
    static_cast<void>(begin_cyrus());
}

}  // namespace turnstile::tls
