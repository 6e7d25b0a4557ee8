// SPDX-License-Identifier: Apache-2.0
// director: starts a private server and the workers, disturbs three of them, and records what happened.
//
// Thread safety: one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "crew.hpp"
#include "private_server.hpp"
#include "progress.hpp"
#include "record.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace demo {

// SIGINT or SIGTERM came.
class interrupted : public std::runtime_error {
public:
    interrupted() : std::runtime_error{"interrupted"} {}
};

class director {
public:
    // Starts the server. Throws std::runtime_error if that is impossible.
    director(const run_settings& settings, progress& shown);

    // The workers sell all under one lock. In its critical section one is killed, then comes the second blow of this kind
    // of server, and one is stopped for longer than its session lasts.
    run_record sell_with_lock();
    // The same work with no lock; no worker is disturbed.
    run_record sell_without_lock();

    [[nodiscard]] std::string server() const { return server_->connect_string(); }

    // Lets a signal handler end the next wait with `interrupted`.
    static void interrupt() noexcept;

private:
    [[nodiscard]] worker_settings make_folder(const std::string& name);
    void start(crew& workers);
    void strike_again(crew& workers, int victim);
    // `cause`: killed, killed_guarded or killed_again.
    void kill_a_holder(crew& workers, int victim, event_kind cause);
    void kill_the_server(crew& workers, int holder);
    void pause_a_holder(crew& workers, int victim);
    void park(crew& workers, int victim);
    void finish(crew& workers, const std::filesystem::path& folder);

    // Records events until `done`; throws when it takes too long, naming `what`, and when a worker
    // fails.
    void record_until(crew& workers, const std::function<bool()>& done, const std::string& awaited);
    void check_on(const crew& workers) const;
    [[nodiscard]] bool has(event_kind kind, int worker) const;
    [[nodiscard]] int count(event_kind kind) const;
    [[nodiscard]] bool granted_since(time_point t) const;

    run_settings settings_;
    progress& shown_;
    turnstile::testing::temporary_folder scratch_;
    std::unique_ptr<private_server> server_;
    run_record run_;
};

}  // namespace demo
