// SPDX-License-Identifier: Apache-2.0
// fencing: a resource that refuses the writes of a holder that was paused while another client got the lock.
//
// No lock service can stop a process that resumes after its lease has ended and continues to write. But a resource that
// remembers the largest fencing token can refuse the writes of that process.
//
//     fencing [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <string_view>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Represents a database row or a file that has a column "token".
class account {
public:
    bool deposit(int amount, turnstile::fencing_token token) {
        if (token < highest_) return false;
        highest_ = token;
        balance_ += amount;
        return true;
    }
    [[nodiscard]] int balance() const { return balance_; }

private:
    int balance_ = 0;
    turnstile::fencing_token highest_;
};

void say(std::string_view writer, bool accepted) {
    std::cout << writer << (accepted ? ": accepted" : ": refused") << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "local:";
    turnstile::client slow{where};
    turnstile::client quick{where};
    turnstile::mutex slow_lock{slow, "/locks/account"};
    turnstile::mutex quick_lock{quick, "/locks/account"};
    account money;

    auto first = slow_lock.acquire({.timeout = 30s}).value();
    const auto stale = first.fencing_token();
    say("the first holder's deposit", money.deposit(10, stale));

    // The first holder is paused, and its session ends. The holder notices neither. (Here, closing the client
    // represents the session timeout.)
    slow.close();

    auto second = quick_lock.acquire({.timeout = 30s}).value();
    say("the second holder's deposit", money.deposit(20, second.fencing_token()));
    std::cout << "the second token is larger: " << std::boolalpha
              << (stale < second.fencing_token()) << '\n';

    // The first holder resumes in the middle of its work, and sends its next deposit.
    say("the first holder's late deposit", money.deposit(40, stale));
    std::cout << "balance: " << money.balance() << '\n';
}
