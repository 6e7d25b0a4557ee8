// SPDX-License-Identifier: Apache-2.0
// queue_lock: the common part of the recipes that have one queue on a path: the client, the functions to acquire, and
// the queries. A recipe adds its own functions, and the claims of its contenders: the kind of lock or the permits that
// each contender requests.
//
// Thread safety: all members from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_options.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {

class shared_contender;

class queue_lock {
public:
    // Throws std::system_error: bad_path; `closed` for a moved-from client.
    queue_lock(const client& servers, std::string_view path, core::contender_family family)
        : queue_lock{internals::of(servers), path, family} {}
    queue_lock(std::shared_ptr<client_impl> servers, std::string_view path,
               core::contender_family family);
    // Makes the queue of a mutex with the lock_options `modes`. Throws the errors of the constructors above, and
    // bad_option if `modes` is invalid.
    queue_lock(const client& servers, std::string_view path, const lock_options& modes);

    [[nodiscard]] const std::string& path() const noexcept { return path_.str(); }
    // Returns the lock's name, which is equal in every process: the servers, and the path from their root
    // (base/resource_name.hpp).
    [[nodiscard]] const std::string& resource() const noexcept { return resource_; }
    [[nodiscard]] const std::shared_ptr<client_impl>& servers() const noexcept { return client_; }

    // Makes a request for client_impl::acquire(). Without a handler the caller must block in wait().
    [[nodiscard]] result<acquire_request> request(const core::claim& wants, core::attempt mode,
                                                  acquire_options&& options,
                                                  acquire_request::handler&& done = nullptr,
                                                  std::string_view recipe = {}) const;
    result<guard> acquire(acquire_options&& options, const core::claim& wants,
                          core::attempt mode = core::attempt::wait,
                          std::string_view recipe = {}) const;
    result<guard> try_acquire(acquire_options&& options, const core::claim& wants) const {
        return acquire(std::move(options), wants, core::attempt::once);
    }
    // Throws bad_option for an empty handler. `data`: replaces the holder metadata in the contender's znode.
    void async_acquire(acquire_options options, const core::claim& wants,
                       std::function<void(result<guard>)> handler,
                       std::optional<std::string> data = std::nullopt) const;

    // ---- functions for a multi_lock --------------------------------------------------------
    // True if each acquire sends a request to the servers, since no threads of this process share a hold.
    [[nodiscard]] bool is_strict() const noexcept { return shared_ == nullptr; }
    // Returns the claim that excludes all other contenders, if the lock has one.
    [[nodiscard]] core::claim exclusive_claim() const noexcept;
    // Makes a request for client_impl::acquire_together(), with exclusive_claim(). The request gets the lock at once or
    // is refused. Without a handler the caller must block in wait().
    [[nodiscard]] result<acquire_request> exclusive_try(
        acquire_options&& options, acquire_request::handler&& done = nullptr) const {
        return request(exclusive_claim(), core::attempt::once, std::move(options), std::move(done));
    }

    [[nodiscard]] result<bool> is_locked(const query_options& options) const;
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options) const;
    [[nodiscard]] result<std::optional<contender>> head(const query_options& options) const;
    // Returns the contenders that hold the lock by the rule in core/queue/queue_rule.hpp, in the order of arrival.
    [[nodiscard]] result<std::vector<contender>> holders(
        const query_options& options, const core::permit_limit& permits = {}) const;
    // Returns the number of contenders ahead of the guard's znode. Error `removed`: the znode is not in the queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options) const;

private:
    std::shared_ptr<client_impl> client_;
    base::shared_text path_;
    core::contender_family family_;
    std::string resource_;
    boottime_clock::duration lock_delay_{};
    std::shared_ptr<shared_contender> shared_;  // null: each acquire sends a request
};

}  // namespace turnstile::detail
