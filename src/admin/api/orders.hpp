// SPDX-License-Identifier: Apache-2.0
// order_register: this server's orders in progress, which users can cancel.
//
//     order_register::entry mine{orders, {.user = "ada", ...}, end_of_server};   // in progress until destroyed
//     orders.cancel(number);                                                     // from another thread
//
// Thread safety: all members from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "admin/reading/history.hpp"

namespace turnstile::admin {

struct order_facts {
    std::string action;  // ask or take
    std::string user;    // the signed-in user
    std::string by;      // the operator's name in the order that the holder reads
    std::string why;
    std::string from;
    lock_key lock;
    std::string znode;
    wall_time begun{};
    // For an order that removes the holder's znode (take): the order's longest duration. Nothing until the server has
    // found the contender.
    std::optional<std::chrono::milliseconds> at_most{};
};

class order_register {
public:
    class entry {
    public:
        // `end`: a stop token that the server triggers when the server ends. The token also stops the order. Throws
        // refusal (429 too_many) if too many orders are in progress.
        entry(order_register& among, order_facts facts, std::stop_token end);
        ~entry();
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;

        [[nodiscard]] std::stop_token stop() const noexcept { return source_.get_token(); }
        // Returns the user that has cancelled the order; nothing if it was not cancelled.
        [[nodiscard]] std::optional<std::string> cancelled_by() const;
        void set_at_most(std::chrono::milliseconds at_most);

    private:
        friend class order_register;

        order_register& among_;
        const std::uint64_t number_;
        std::stop_source source_{};
        std::stop_callback<std::function<void()>> at_end_;
    };

    struct listed {
        std::uint64_t number = 0;
        order_facts facts;
    };
    // Returns the orders in progress, the oldest first.
    [[nodiscard]] std::vector<listed> list() const;
    // Requests a stop of the order `number`, which ends soon afterwards. Returns false if no order in progress has this
    // number.
    bool cancel(std::uint64_t number, const std::string& by);

private:
    struct record {
        order_facts facts;
        std::stop_source* source = nullptr;
        std::optional<std::string> cancelled_by{};
    };
    [[nodiscard]] std::uint64_t add(order_facts facts);

    mutable std::mutex mutex_;
    std::map<std::uint64_t, record> records_;
    std::uint64_t numbers_ = 0;
};

}  // namespace turnstile::admin
