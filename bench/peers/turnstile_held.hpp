// SPDX-License-Identifier: Apache-2.0
// turnstile_held: plays the peer "turnstile" in the measure "held". This measure has a process that holds many locks at
// the same time, and a process that has many clients.
//
//     keep FOLDER COUNT    takes the locks FOLDER/0 to FOLDER/(COUNT - 1) and holds them; answers us=N, the time until
//                          the last grant
//     drop                 releases all held locks, and does not wait for the confirmations
//     clients COUNT        makes COUNT clients that share one runtime, and waits until each is connected; answers us=N
//
// Thread safety: only one thread may use an object.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol.hpp"
#include "tally.hpp"
#include "turnstile/turnstile.hpp"

namespace bench {

class held_crowd {
public:
    explicit held_crowd(const turnstile::client& servers) : servers_{servers} {}

    std::string keep(const std::string& folder, std::int64_t count) {
        const auto start = now_us();
        const auto outcomes = std::make_shared<kept>();
        for (std::int64_t i = 0; i < count; ++i) {
            turnstile::mutex lock{servers_, folder + "/" + std::to_string(i)};
            lock.async_acquire({}, [outcomes](turnstile::result<turnstile::guard> hold) {
                if (!hold) return outcomes->count.fail(hold.error().message());
                outcomes->holds.push_back(std::move(hold).value());
                outcomes->count.add();
            });
        }
        outcomes->count.wait(count);
        holds_ = std::move(outcomes->holds);
        return "us=" + std::to_string(now_us() - start);
    }
    std::string drop() {
        const auto count = holds_.size();
        holds_.clear();
        return "dropped=" + std::to_string(count);
    }

private:
    struct kept {
        // The handlers add the holds, and only one handler runs at a time. The command reads `holds` when `count` is
        // complete.
        std::vector<turnstile::guard> holds;
        tally count;
    };

    const turnstile::client& servers_;
    std::vector<turnstile::guard> holds_;
};

class client_crowd {
public:
    explicit client_crowd(std::string servers) : servers_{std::move(servers)} {}

    std::string connect(std::int64_t count) {
        const auto start = now_us();
        for (std::int64_t i = 0; i < count; ++i)
            clients_.push_back(std::make_unique<turnstile::client>(
                servers_, turnstile::client_options{.runtime = shared_}));
        for (const auto& client : clients_) client->wait_connected(std::chrono::minutes{2}).value();
        return "us=" + std::to_string(now_us() - start);
    }

private:
    const std::string servers_;
    const turnstile::runtime shared_ = turnstile::runtime::start();
    std::vector<std::unique_ptr<turnstile::client>> clients_;
};

inline void add_held(commands& known, const turnstile::client& servers,
                     const std::string& connect) {
    const auto locks = std::make_shared<held_crowd>(servers);
    const auto clients = std::make_shared<std::optional<client_crowd>>();
    known.emplace("keep", [locks](const arguments& given) {
        return locks->keep(given.at(0), number(given.at(1)));
    });
    known.emplace("drop", [locks](const arguments&) { return locks->drop(); });
    known.emplace("clients", [clients, connect](const arguments& given) {
        return clients->emplace(connect).connect(number(given.at(0)));
    });
}

}  // namespace bench
