// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/conversion.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/out_of_memory.hpp"
#include "client/hold.hpp"
#include "client/internals.hpp"
#include "client/session_hold.hpp"

namespace turnstile::detail {

namespace {

// The hold of a read-write lock that was upgraded from upgradable to writer. It has two znodes of one session: the
// znode of the upgradable contender (`base`), and the znode of the upgrade (`upper`). The loss of either znode ends the
// whole hold.
class upgraded_hold final : public hold {
public:
    upgraded_hold(std::shared_ptr<session_hold> base, std::shared_ptr<session_hold> upper)
        : base_{std::move(base)}, upper_{std::move(upper)} {}

    [[nodiscard]] const std::shared_ptr<session_hold>& base() const noexcept { return base_; }
    // Gives up the znode of the upgrade, and returns the upgradable hold with an increased token.
    std::shared_ptr<session_hold> drop_upper();

    [[nodiscard]] const std::string& path() const noexcept override { return upper_->path(); }
    [[nodiscard]] std::string znode() const override { return upper_->znode(); }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override {
        return upper_->token();
    }
    [[nodiscard]] fencing_vector tokens() const override { return upper_->tokens(); }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override { return upper_->evidence(); }
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override {
        return base_->lost_token();
    }
    void on_lost(std::function<void(const error&)> callback) override {
        base_->on_lost(std::move(callback));
    }
    // Returns both holds. `upper_` comes first, so it sends the commit.
    [[nodiscard]] result<znode_holds> parts_for_commit() override {
        return znode_holds{upper_, base_};
    }
    void run_as_callback(std::function<void()> task) override {
        upper_->run_as_callback(std::move(task));
    }
    void unlock() noexcept override;
    [[nodiscard]] boottime_clock::duration release_limit() const override {
        return base_->release_limit();
    }

private:
    [[nodiscard]] result<void> await_release(boottime_clock::time_point deadline) override;

    const std::shared_ptr<session_hold> base_;
    const std::shared_ptr<session_hold> upper_;
};

std::shared_ptr<session_hold> upgraded_hold::drop_upper() {
    const auto token = upper_->token();
    base_->raise_token(turnstile::fencing_token{token.zxid(), token.counter() + 1});
    upper_->unlock();
    return base_;
}

boottime_clock::time_point upgraded_hold::valid_until() const noexcept {
    return std::min(base_->valid_until(), upper_->valid_until());
}

boottime_clock::time_point upgraded_hold::certain_until() const noexcept {
    return std::min(base_->certain_until(), upper_->certain_until());
}

result<void> upgraded_hold::status() const {
    if (auto beneath = base_->status(); !beneath) return beneath;
    return upper_->status();
}

// Releases the hold of the upgrade (`upper_`) before the upgradable hold (`base_`). The servers carry out a session's
// requests in order, so no client sees the upgrade's znode without the upgradable contender's znode.
void upgraded_hold::unlock() noexcept {
    upper_->unlock();
    base_->unlock();
}

result<void> upgraded_hold::await_release(boottime_clock::time_point deadline) {
    const auto above = upper_->release(deadline);
    auto beneath = base_->release(deadline);
    return above ? beneath : above;
}

// The holds that the guard of a read-write lock owns.
struct parts {
    std::shared_ptr<upgraded_hold> upgraded;  // null: the hold was not upgraded
    std::shared_ptr<session_hold> base;

    [[nodiscard]] core::claim_kind kind() const {
        return upgraded ? core::claim_kind::write : base->kind();
    }
};

result<parts> parts_of(const std::string& path, guard& hold) {
    const auto whole = usable_hold(hold, path);
    if (!whole) return whole.error();
    parts found{std::dynamic_pointer_cast<upgraded_hold>(*whole), nullptr};
    found.base =
        found.upgraded ? found.upgraded->base() : std::dynamic_pointer_cast<session_hold>(*whole);
    if (!found.base || hold.path() != path ||
        core::family(found.base->kind()) != core::contender_family::read_write) {
        return error{errc::bad_option,
                     "the guard of " + hold.path() + " is no guard of the shared_mutex on " + path};
    }
    return found;
}

void replace(guard& hold, std::shared_ptr<detail::hold> by) {
    static_cast<void>(internals::take_hold(std::move(hold)));  // without a release
    hold = internals::make_guard(std::move(by));
}

error reader_cannot(const std::string& path) {
    return {errc::bad_option, path +
                                  ": a reader's hold cannot become another kind of hold; acquire "
                                  "the lock with acquire_upgrade()"};
}

// Returns the upgradable hold that must be upgraded; null if the guard has a writer's hold already.
result<std::shared_ptr<session_hold>> to_be_upgraded(const std::string& path, guard& hold) {
    const auto found = parts_of(path, hold);
    if (!found) return found.error();
    if (const auto good = hold.status(); !good) return good.error();
    const auto& base = found->base;
    if (found->kind() == core::claim_kind::write) return std::shared_ptr<session_hold>{};
    if (found->kind() == core::claim_kind::read) return reader_cannot(path);
    const auto znode = core::parse_contender(base->znode().substr(path.size() + 1));
    // If the servers' counter of znode numbers has reached its end, a downgrade of a writer's hold keeps the writer's
    // znode (held::begin_rename). The downgraded hold needs no second znode to become a writer's hold again.
    if (znode && znode->wants.kind == core::claim_kind::write) {
        if (const auto again = base->rename(core::claim_kind::write); !again) return again.error();
        return std::shared_ptr<session_hold>{};
    }
    return base;
}

result<std::shared_ptr<session_hold>> start(const upgrade_request& request,
                                            const std::shared_ptr<session_hold>& base,
                                            acquire_options options, session_hold::handler done) {
    const auto number = core::contender_sequence(base->znode().substr(request.path.size() + 1));
    core::claim wants{core::claim_kind::upgrade};
    wants.upgrades = number.value_or(0);
    auto call = request.servers.request(base::shared_text{request.path}, wants, request.mode,
                                        std::move(options), std::move(done));
    if (call) call->bind_to(base->session());
    auto started = request.servers.acquire(std::move(call));
    if (started) base::finish_or_end("an upgrade", [&] { base->tie(*started); });
    return started;
}

// Makes the guard own two holds: the upgradable hold `base`, and the hold of the upgrade (`upper`), which was granted.
result<void> put_together(guard& hold, const std::shared_ptr<session_hold>& base, guard&& upper) {
    auto above = std::dynamic_pointer_cast<session_hold>(internals::take_hold(std::move(upper)));
    above->tie(base);
    if (auto good = base->status(); !good) {
        above->unlock();
        return good;
    }
    replace(hold, std::make_shared<upgraded_hold>(base, std::move(above)));
    return {};
}

}  // namespace

result<core::claim_kind> kind_held(const std::string& path, guard& hold) {
    const auto found = parts_of(path, hold);
    if (!found) return found.error();
    return found->kind();
}

result<void> downgrade(const std::string& path, guard& hold, core::claim_kind to) {
    const auto found = parts_of(path, hold);
    if (!found) return found.error();
    if (auto good = hold.status(); !good) return good;
    if (found->kind() == to) return {};
    if (found->kind() == core::claim_kind::read) return reader_cannot(path);
    return base::finish_or_end("a downgrade", [&]() -> result<void> {
        if (found->upgraded) replace(hold, found->upgraded->drop_upper());
        if (found->base->kind() == to) return {};
        return found->base->rename(to);
    });
}

result<void> upgrade(const upgrade_request& request, guard& hold, acquire_options options) {
    const auto base = to_be_upgraded(request.path, hold);
    if (!base) return base.error();
    if (!*base) return {};
    const auto started = start(request, *base, std::move(options), nullptr);
    if (!started) return started.error();
    return base::finish_or_end("an upgrade", [&]() -> result<void> {
        auto upper = (*started)->wait();
        if (!upper) return upper.error();
        return put_together(hold, *base, std::move(*upper));
    });
}

void async_upgrade(const upgrade_request& request, guard hold, acquire_options options,
                   std::function<void(guard, result<void>)> handler) {
    const auto kept = std::make_shared<guard>(std::move(hold));
    const auto answer = [&](const result<void>& outcome) {
        request.servers.post([kept, handler, outcome] { handler(std::move(*kept), outcome); });
    };
    const auto base = to_be_upgraded(request.path, *kept);
    if (!base) return answer(base.error());
    if (!*base) return answer({});
    const auto started = start(request, *base, std::move(options),
                               [kept, handler, base = *base](result<guard> upper) {
                                   auto outcome = base::finish_or_end("an upgrade", [&] {
                                       return upper ? put_together(*kept, base, std::move(*upper))
                                                    : result<void>{upper.error()};
                                   });
                                   handler(std::move(*kept), std::move(outcome));
                               });
    if (!started) answer(started.error());
}

}  // namespace turnstile::detail
