// SPDX-License-Identifier: Apache-2.0
// refusal: an exception that refuses a request, with a status, a code for programs and a sentence for users.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace turnstile::admin {

// The code that checks or answers a request throws a refusal. The HTTP server catches the refusal, and sends the answer
// that http_service::describe() returns for it.
class refusal : public std::exception {
public:
    refusal(int status, std::string code, std::string message)
        : status_{status}, code_{std::move(code)}, message_{std::move(message)} {}

    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const std::string& code() const noexcept { return code_; }
    [[nodiscard]] const std::string& message() const noexcept { return message_; }
    // The time that the client should wait before it tries again; zero: unspecified.
    [[nodiscard]] std::chrono::seconds retry_after() const noexcept { return retry_after_; }
    [[nodiscard]] refusal after(std::chrono::seconds wait) const {
        refusal copy{*this};
        copy.retry_after_ = wait;
        return copy;
    }
    [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

private:
    int status_;
    std::string code_;
    std::string message_;
    std::chrono::seconds retry_after_{0};
};

}  // namespace turnstile::admin
