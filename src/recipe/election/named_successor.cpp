// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/named_successor.hpp"

#include <algorithm>
#include <chrono>

#include "recipe/election/succession.hpp"
#include "recipe/node/stamped_node.hpp"
#include "recipe/operator/participants.hpp"

namespace turnstile::detail {

namespace {

// decide_succession() reads and writes the data of the election's folder at most this many times. A further attempt is
// necessary if another client has changed the data between this client's read and its write.
constexpr int k_most_looks = 4;

}  // namespace

bool decide_succession(const queue_lock& queue, const std::string& id, guard& lead) {
    const stamped_node folder{*queue.servers(), queue.path(), lead};
    for (int look = 0; look != k_most_looks && lead.valid(); ++look) {
        const auto found = folder.read({});
        if (!found) break;
        if (!succession_hint::parse(found->text)) return true;
        const auto now = folder.ask_time({});
        if (now.has_error()) break;
        const auto next = next_step(found->text, id, *now);
        const auto written = folder.write(*found, next.write.value_or(std::string{}), {});
        if (written) return next.leads;
        if (written.error() != errc::bad_version) break;
    }
    return lead.valid();
}

result<void> name_successor(const queue_lock& queue, guard& lead, std::string_view successor,
                            boottime_clock::duration within, const query_options& options) {
    const auto all = participants(queue, options);
    if (!all) return all.error();
    const bool known = std::any_of(all->begin(), all->end(), [successor](const auto& participant) {
        return participant.id == successor;
    });
    if (!known) {
        return error{errc::bad_option, queue.path() + ": no participant has the id \"" +
                                           std::string{successor} + "\""};
    }
    const stamped_node folder{*queue.servers(), queue.path(), lead};
    const auto found = folder.read(options);
    if (!found) return found.error();
    const auto now = folder.ask_time(options);
    if (now.has_error()) return now.error();
    const auto until = *now + std::chrono::duration_cast<std::chrono::milliseconds>(within).count();
    const succession_hint hint{std::string{successor}, static_cast<std::uint32_t>(all->size()),
                               until};
    return folder.write(*found, hint.to_string(), options);
}

}  // namespace turnstile::detail
