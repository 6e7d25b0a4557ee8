// SPDX-License-Identifier: Apache-2.0
// Implements the changes that operators and other clients make in the servers' data.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/queue/permits.hpp"
#include "core/queue/znode_texts.hpp"
#include "simulation/world.hpp"

namespace turnstile::simulation {

namespace {

constexpr double k_in_the_folder = 0.3;  // fraction of these writes that go into a low-water mark

}  // namespace

void world::tamper(fault kind) {
    const auto standing = history_.standing();
    if (standing.empty()) return;
    // Half of the deletions hit the next contender in line, whose client must notice the deletion (failure F37).
    const bool next = kind == fault::hand_delete && standing.size() > 1 && dice_.chance(0.5);
    const auto znode = next ? standing[1] : dice_.pick(standing);
    trace_.note(agenda_.now(), [&] { return "it strikes " + znode; });
    if (kind == fault::hand_delete) return delete_by_hand(znode);
    if (kind == fault::hand_set) return write_by_hand(znode);
    if (kind == fault::take_away) return take_away(znode);
    if (kind == fault::ask_to_go) return ask_to_go(znode);
    const auto session = history_.find(znode)->session;
    at_servers([session](auto& all) { all.close_by_hand(session); });
}

void world::sweep() {
    for (const auto& znode : history_.standing())
        if (dice_.chance(0.7)) delete_by_hand(znode);
}

// An operator writes into a contender's znode, or into the folder of its mutex.
void world::write_by_hand(const std::string& znode) {
    const auto folder = znode.substr(0, znode.rfind('/'));
    const auto& locks = scenario_.folders;
    const bool marks = scenario_.long_queue < core::k_long_queue &&
                       std::find(locks.begin(), locks.end(), folder) != locks.end();
    const bool above = marks && dice_.chance(k_in_the_folder);
    write_at_servers(core::set_op{above ? folder : znode, "by hand"});
}

// An operator takes a lock away by the steps of docs/why/revocation.md. In the holder's znode, the operator orders the
// holder to release the lock. When the holder's lease must have ended, the operator deletes the znode.
void world::take_away(const std::string& znode) {
    const core::revocation_text order{core::revocation_text::how::take,
                                      fmt::format("ops {}", ++orders_given_), "it is stuck"};
    write_at_servers(core::set_op{znode, core::with_order(history_.find(znode)->data, order)});
    call_after(2 * scenario_.time.session_timeout, [this, znode, order] {
        // If another client has overwritten the revocation in the znode, the operator does nothing more.
        const auto* node = servers().truth().nodes().find(znode);
        if (node == nullptr || core::parse_revocation(node->data) != order) return;
        history_.on_due(znode);
        delete_by_hand(znode);
    });
}

void world::ask_to_go(const std::string& znode) {
    const core::revocation_text order{core::revocation_text::how::ask,
                                      fmt::format("ops {}", ++orders_given_), "a client waits"};
    write_at_servers(core::set_op{znode, core::with_order(history_.find(znode)->data, order)});
}

void world::resize() {
    const auto& limits = history_.limits(scenario_.semaphore);
    if (limits.empty()) return;
    std::int32_t earlier = 0;
    for (const auto& limit : limits) earlier = std::max(earlier, limit.permits);
    const auto permits = static_cast<std::int32_t>(dice_.from_to(1, 5));
    trace_.note(agenda_.now(), [&] { return fmt::format("the semaphore has {} now", permits); });
    write_at_servers(core::set_op{scenario_.semaphore, core::limit_text({permits, earlier})});
}

// Deletes a folder without contenders and creates it again. The new folder's count of creates comes close to the old
// count. So a contender would be wrong if it compared numbers of the new folder with numbers of the old folder.
void world::remake_folder() {
    const auto folder = dice_.pick(scenario_.folders);
    const auto* node = servers().truth().nodes().find(folder);
    constexpr std::int32_t k_most_creates = 100;
    if (node == nullptr || node->creates < 0 || node->creates > k_most_creates) return;
    const bool again = dice_.chance(0.8);
    const auto below = static_cast<std::int32_t>(dice_.below(3));
    const auto creates = again ? node->creates - below : below;
    core::multi_op all;
    if (again) {
        all.parts.emplace_back(core::remove_op{folder});
        all.parts.emplace_back(core::create_op{folder, {}, core::create_mode::persistent});
    }
    for (std::int32_t i = 0; i < creates; ++i) {
        const auto znode = fmt::format("{}/by-hand-{}", folder, i);
        all.parts.emplace_back(core::create_op{znode, {}, core::create_mode::persistent});
        all.parts.emplace_back(core::remove_op{znode});
    }
    if (!all.parts.empty()) write_at_servers(std::move(all));
}

void world::write_at_servers(core::operation&& op) {
    at_servers([&op](auto& all) { all.write_by_hand(std::move(op)); });
}

void world::delete_by_hand(const std::string& znode) {
    write_at_servers(core::remove_op{znode});
}

}  // namespace turnstile::simulation
