// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/participants.hpp"

#include <utility>

#include "base/path.hpp"
#include "client/metadata.hpp"
#include "support/utf8.hpp"
#include "turnstile/error.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {

namespace {

constexpr std::size_t k_longest = 1024;  // bytes, for the id and for the data
constexpr std::string_view k_data = "\nturnstile-data=";

void check_text(const std::string& name, const std::string& text) {
    if (text.size() > k_longest) {
        throw_error({errc::bad_option, name + " has " + std::to_string(text.size()) +
                                           " bytes: must have at most " +
                                           std::to_string(k_longest)});
    }
    for (std::size_t at = 0; at < text.size();) {
        const auto length = support::decode_utf8(std::string_view{text}.substr(at)).length;
        if (length == 0) {
            throw_error(
                {errc::bad_option, name + ' ' + base::printable(text) + ": is not valid UTF-8"});
        }
        at += length;
    }
}

participant describe(const contender& entry) {
    participant result;
    auto own = parse_participant(entry.metadata.text);
    result.id = std::move(own.id);
    result.data = std::move(own.data);
    result.leads = entry.position == 0;
    result.znode = entry.name;
    result.token = entry.token;
    result.session_id = entry.session_id;
    result.since = entry.created;
    return result;
}

}  // namespace

std::string checked_id(const std::string& id) {
    if (id.empty()) {
        const auto mine = contender_metadata::parse(contender_text({}, {}, {}));
        return mine.host + '-' + mine.pid;
    }
    check_text("id", id);
    if (id.find(k_data) != std::string::npos) {
        throw_error({errc::bad_option, "id " + base::printable(id) +
                                           ": must not contain a line \"turnstile-data=\""});
    }
    return id;
}

std::string participant_text(const std::string& id, const std::string& data) {
    check_text("data", data);
    return data.empty() ? id : id + std::string{k_data} + data;
}

published parse_participant(std::string_view text) {
    const auto end = text.find(k_data);
    if (end == std::string_view::npos) return {std::string{text}, {}};
    return {std::string{text.substr(0, end)}, std::string{text.substr(end + k_data.size())}};
}

result<std::vector<participant>> participants(const queue_lock& queue,
                                              const query_options& options) {
    const auto all = queue.queue(options);
    if (!all) return all.error();
    std::vector<participant> participants;
    for (const auto& entry : *all) participants.push_back(describe(entry));
    return participants;
}

result<std::optional<participant>> first_participant(const queue_lock& queue,
                                                     const query_options& options) {
    const auto head = queue.head(options);
    if (head.has_error()) return head.error();
    if (!*head) return std::optional<participant>{};
    return std::optional{describe(**head)};
}

}  // namespace turnstile::detail
