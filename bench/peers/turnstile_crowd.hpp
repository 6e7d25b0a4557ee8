// SPDX-License-Identifier: Apache-2.0
// turnstile_crowd: plays the peer "turnstile" in the measure "saturation" (crowd.hpp). A client has one session for
// each session of the load. The client acquires by async_acquire(), and releases in the handler.
//
// Thread safety: any thread may call take(). Call prepare() only while no acquire is in progress.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crowd.hpp"
#include "turnstile/turnstile.hpp"

namespace bench {

class turnstile_crowd {
public:
    explicit turnstile_crowd(std::string servers) : servers_{std::move(servers)} {}

    void prepare(const crowd_load& load) {
        while (clients_.size() < load.sessions)
            clients_.push_back(std::make_unique<turnstile::client>(servers_));
        for (const auto& client : clients_)
            client->wait_connected(std::chrono::seconds{30}).value();
        if (load.folder == folder_) return;
        folder_ = load.folder;
        locks_.clear();
        for (const auto& client : clients_) {
            auto& all = locks_.emplace_back();
            for (std::size_t i = 0; i != load.locks; ++i)
                all.push_back(std::make_unique<turnstile::mutex>(*client, load.path(i)));
        }
    }
    void take(std::size_t session, std::size_t lock, crowd_waiter& waiter) {
        locks_[session][lock]->async_acquire({},
                                             [&waiter](turnstile::result<turnstile::guard> hold) {
                                                 if (!hold)
                                                     return waiter.failed(hold.error().message());
                                                 waiter.granted();
                                                 hold.value().unlock();
                                                 waiter.given_up();
                                             });
    }

private:
    const std::string servers_;
    std::string folder_;
    std::vector<std::unique_ptr<turnstile::client>> clients_;
    // the locks of each session
    std::vector<std::vector<std::unique_ptr<turnstile::mutex>>> locks_;
};

}  // namespace bench
