// SPDX-License-Identifier: Apache-2.0
#include "simulation/truth_writer.hpp"

#include <type_traits>
#include <utility>
#include <variant>

#include "core/queue/permits.hpp"
#include "core/queue/znode_texts.hpp"

namespace turnstile::simulation {

session_id prepare_tree(const scenario& plan, local::tree& tree) {
    const auto administrator = tree.open_session();
    if (!plan.folders_exist) return administrator;
    const auto make = [&](std::string path, std::string data = {}) {
        (void)tree.apply(administrator, core::create_op{std::move(path), std::move(data)}, 0);
    };
    make("/locks");
    if (plan.work != work_kind::locks) {
        make(k_state_znode);
        make(k_job_znode);
        make(k_rate_znode);
    }
    auto folders = plan.folders;
    if (!plan.read_write.empty()) folders.push_back(plan.read_write);
    if (!plan.semaphore.empty()) {
        make(plan.semaphore, core::limit_text({plan.permits, plan.permits}));
        folders.push_back(plan.semaphore);
    }
    for (const auto& folder : folders) {
        make(folder);
        if (plan.foreign_children) make(folder + "/notes");
        if (plan.first_sequence != 0) tree.set_creates(folder, plan.first_sequence);
    }
    return administrator;
}

void truth_writer::record(const commit_origin& from, const core::operation& op,
                          const core::reply& answer) {
    if (answer.error != core::server_error::ok) return;
    if (const auto* multi = std::get_if<core::multi_op>(&op)) {
        for (std::size_t i = 0; i != multi->parts.size(); ++i)
            std::visit([&](const auto& part) { record_part(from, part, answer.paths[i]); },
                       multi->parts[i]);
        history_.on_multi(*multi);
    } else {
        std::visit([&](const auto& whole) { record_part(from, whole, answer.path); }, op);
    }
}

template <class Op>
void truth_writer::record_part(const commit_origin& from, const Op& op,
                               const std::string& created) {
    if constexpr (std::is_same_v<Op, core::create_op>) {
        if (op.mode == core::create_mode::ephemeral_sequential ||
            op.mode == core::create_mode::ephemeral)
            history_.on_created(created, op.data, from.session, from.zxid,
                                from.held_up ? arrival::late : arrival::in_time);
        if (op.mode == core::create_mode::persistent) {
            history_.on_presence(created, from.zxid, true);
            history_.on_written({created, op.data, from.zxid, from.stamp});
        }
        if (is_semaphore(created)) record_limit(created, op.data, from.zxid);
    } else if constexpr (std::is_same_v<Op, core::remove_op>) {
        const auto why = !from.by_hand           ? removal::by_owner
                         : history_.due(op.path) ? removal::after_order
                                                 : removal::by_hand;
        history_.on_deleted(op.path, from.zxid, why, from.when);
        history_.on_presence(op.path, from.zxid, false);
    } else if constexpr (std::is_same_v<Op, core::set_op>) {
        if (is_semaphore(op.path)) record_limit(op.path, op.data, from.zxid);
        history_.on_written({op.path, op.data, from.zxid, from.stamp});
        if (!from.by_hand) return;
        history_.on_changed_by_hand(op.path, from.zxid);
        const auto order = core::parse_revocation(op.data);
        if (order) history_.on_ordered(order->by, op.path);
        if (order && order->manner == core::revocation_text::how::take) history_.on_taken(op.path);
    }
}

void truth_writer::record_limit(const std::string& folder, const std::string& text,
                                std::int64_t zxid) {
    if (const auto limit = core::parse_limit(text)) history_.on_limit(folder, *limit, zxid);
}

}  // namespace turnstile::simulation
