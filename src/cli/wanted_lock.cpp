// SPDX-License-Identifier: Apache-2.0
#include "cli/wanted_lock.hpp"

#include "turnstile/mutex.hpp"
#include "turnstile/semaphore.hpp"
#include "turnstile/shared_mutex.hpp"

namespace turnstile::cli {
namespace {

// A lock whose acquire takes several permits of a semaphore at once.
class permit_lock {
public:
    permit_lock(const client& servers, const std::string& path, permit_share share)
        : semaphore_{servers, path, share.limit}, taken_{share.taken} {}

    [[nodiscard]] const std::string& path() const noexcept { return semaphore_.path(); }
    result<guard> acquire(acquire_options how) {
        return semaphore_.acquire(taken_, std::move(how));
    }
    result<guard> try_acquire(acquire_options how) {
        return semaphore_.try_acquire(taken_, std::move(how));
    }
    void async_acquire(acquire_options how, std::function<void(result<guard>)> handler) {
        semaphore_.async_acquire(taken_, std::move(how), std::move(handler));
    }

private:
    semaphore semaphore_;
    std::int32_t taken_;
};

any_lock lock_at(const client& servers, const std::string& path, const run_options& options) {
    switch (options.kind) {
        case wanted_kind::permits:
            return std::make_shared<permit_lock>(servers, path, options.permits);
        case wanted_kind::mutex:
            return std::make_shared<mutex>(servers, path,
                                           lock_options{.lock_delay = options.lock_delay});
        case wanted_kind::shared:
            return std::make_shared<shared_mutex_view>(shared_mutex{servers, path}.readers());
        case wanted_kind::exclusive: break;
    }
    return std::make_shared<shared_mutex_view>(shared_mutex{servers, path}.writers());
}

// Exclusive and shared contenders share one queue.
wanted_kind queue_kind(wanted_kind kind) {
    return kind == wanted_kind::shared ? wanted_kind::exclusive : kind;
}

}  // namespace

wanted_lock::wanted_lock(const client& servers, const run_options& options)
    : try_only_{options.try_only} {
    for (const auto& path : options.paths) locks_.push_back(lock_at(servers, path, options));
    if (locks_.size() > 1) all_ = std::make_unique<multi_lock>(locks_);
}

result<guard> wanted_lock::take(acquire_options how) {
    if (all_) return try_only_ ? all_->try_acquire(std::move(how)) : all_->acquire(std::move(how));
    return try_only_ ? locks_.front().try_acquire(std::move(how))
                     : locks_.front().acquire(std::move(how));
}

result<std::vector<contender>> queue_at(const client& servers, const std::string& path,
                                        wanted_kind kind, const query_options& limits) {
    switch (queue_kind(kind)) {
        case wanted_kind::mutex: return mutex{servers, path}.queue(limits);
        case wanted_kind::permits: return semaphore{servers, path}.queue(limits);
        default: return shared_mutex{servers, path}.queue(limits);
    }
}

}  // namespace turnstile::cli
