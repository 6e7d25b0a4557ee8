// SPDX-License-Identifier: Apache-2.0
#include "tls/sasl.hpp"

#include <sasl/sasl.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "support/private_file.hpp"

namespace turnstile::tls {
namespace {

constexpr const char* k_mechanism = "DIGEST-MD5";
constexpr const char* k_service = "zookeeper";
constexpr const char* k_server = "zk-sasl-md5";

// Cyrus SASL calls a function without arguments, and casts it.
using any_callback = int (*)();

template <class Function>
any_callback erased(Function* function) noexcept {
    return reinterpret_cast<any_callback>(reinterpret_cast<void*>(function));
}

int no_log(void*, int, const char*) noexcept {
    return SASL_OK;
}

// True if Cyrus SASL is ready. It stays so: other libraries of the process may use it, too.
bool begin_cyrus() noexcept {
    static const bool begun = ::sasl_client_init(nullptr) == SASL_OK;
    return begun;
}

class cyrus_exchange final : public sasl_exchange {
public:
    cyrus_exchange(std::string user, const std::string& password)
        : user_{std::move(user)}, secret_(sizeof(sasl_secret_t) + password.size()) {
        auto* const secret = reinterpret_cast<sasl_secret_t*>(secret_.data());
        secret->len = password.size();
        std::memcpy(secret->data, password.data(), password.size());
        callbacks_ = {{{SASL_CB_USER, erased(&give_user), this},
                       {SASL_CB_AUTHNAME, erased(&give_user), this},
                       {SASL_CB_PASS, erased(&give_secret), this},
                       {SASL_CB_GETREALM, erased(&choose_realm), this},
                       {SASL_CB_LOG, erased(&no_log), nullptr},
                       {SASL_CB_LIST_END, nullptr, nullptr}}};
        if (::sasl_client_new(k_service, k_server, nullptr, nullptr, callbacks_.data(), 0, &own_) !=
            SASL_OK) {
            reason_ = "Cyrus SASL gives no exchange";
            return;
        }
        // Authentication alone: the server's messages stay as they are.
        sasl_security_properties_t plain{};
        static_cast<void>(::sasl_setprop(own_, SASL_SEC_PROPS, &plain));
    }
    ~cyrus_exchange() override {
        ::sasl_dispose(&own_);
        ::explicit_bzero(secret_.data(), secret_.size());
    }

    [[nodiscard]] std::optional<std::string> answer(std::string_view token) override {
        if (!reason_.empty()) return std::nullopt;
        const char* out = nullptr;
        unsigned length = 0;
        // Without room for a first token Cyrus SASL does not repeat the exchange before, with an earlier password.
        const int code =
            std::exchange(begun_, true)
                ? ::sasl_client_step(own_, token.data(), static_cast<unsigned>(token.size()),
                                     nullptr, &out, &length)
                : ::sasl_client_start(own_, k_mechanism, nullptr, nullptr, nullptr, nullptr);
        if (code != SASL_OK && code != SASL_CONTINUE) {
            reason_ = code == SASL_NOMECH
                          ? fmt::format(
                                "this system has no SASL mechanism {} (Debian's package "
                                "libsasl2-modules)",
                                k_mechanism)
                          : fmt::format("the SASL exchange failed: {}", ::sasl_errdetail(own_));
            return std::nullopt;
        }
        complete_ = code == SASL_OK;
        return out == nullptr ? std::string{} : std::string{out, length};
    }
    [[nodiscard]] bool is_complete() const noexcept override { return complete_; }
    [[nodiscard]] std::string reason() const override { return reason_; }

private:
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
    // ZooKeeper servers have one realm.
    static int choose_realm(void*, int, const char** offered, const char** result) noexcept {
        *result = offered != nullptr && *offered != nullptr ? *offered : "";
        return SASL_OK;
    }

    const std::string user_;
    std::vector<char> secret_;  // a sasl_secret_t
    std::array<sasl_callback_t, 6> callbacks_{};
    sasl_conn_t* own_ = nullptr;
    bool begun_ = false;
    bool complete_ = false;
    std::string reason_;
};

}  // namespace

sasl_outcome make_sasl_exchange(const sasl_settings& wanted) {
    if (!begin_cyrus()) return {nullptr, "sasl_user: Cyrus SASL does not start"};
    std::string password;
    try {
        password = support::first_line_of_private_file(wanted.password_file);
    } catch (const std::exception& failure) {
        return {nullptr, std::string{"sasl_password_file="} + failure.what()};
    }
    auto exchange = std::make_unique<cyrus_exchange>(wanted.user, password);
    ::explicit_bzero(password.data(), password.size());
    if (auto why = exchange->reason(); !why.empty()) return {nullptr, std::move(why)};
    return {std::move(exchange), {}};
}

}  // namespace turnstile::tls
