// SPDX-License-Identifier: Apache-2.0
#include "redis/requests.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>

#include "local/znode_path.hpp"
#include "redis/records.hpp"

namespace turnstile::redis {
namespace {

using core::create_mode;

// No session's deadline is more than this time away. A longer time in an answer is not from this library's scripts, and
// would overflow.
constexpr std::chrono::microseconds k_longest_until_next = std::chrono::hours{24};
// The first argument of a write, which selects the form of the answer.
constexpr const char* k_single = "1";
constexpr const char* k_multi = "n";

unsigned mode_flags(create_mode mode) noexcept {
    switch (mode) {
        case create_mode::persistent: return 0;
        case create_mode::ephemeral: return k_part_ephemeral;
        case create_mode::persistent_sequential: return k_part_sequential;
        case create_mode::ephemeral_sequential: return k_part_ephemeral | k_part_sequential;
        case create_mode::container: return k_part_container;
    }
    return 0;
}

// The server appends the number of a sequential create. This check uses "0000000000" instead: all digits give the same
// result.
bool acceptable(const std::string& path, bool sequential) {
    return local::server_accepts_path(sequential ? path + "0000000000" : path);
}

// Appends one part of a write to the script's arguments: kind, path, parent, data, version, flags.
struct argument_writer {
    std::vector<std::string>& out;

    void add(const char* kind, const std::string& path, const std::string& data,
             std::int32_t version, unsigned flags) const {
        out.insert(out.end(), {kind, path, local::parent_of(path), data, std::to_string(version),
                               std::to_string(flags)});
    }
    void operator()(const core::create_op& op) const {
        unsigned flags = mode_flags(op.mode);
        if (op.acl == core::acl_policy::creator_only) flags |= k_part_creator_only;
        if (!local::has_parent(op.path)) flags |= k_part_refused;
        if (!acceptable(op.path, (flags & k_part_sequential) != 0)) flags |= k_part_bad_characters;
        add("c", op.path, op.data, core::k_any_version, flags);
    }
    void operator()(const core::remove_op& op) const {
        const bool refused = !local::has_parent(op.path) || local::is_system_path(op.path);
        add("r", op.path, {}, op.version, refused ? k_part_refused : 0U);
    }
    void operator()(const core::set_op& op) const {
        add("s", op.path, op.data, op.version, bad_characters(op.path));
    }
    void operator()(const core::check_op& op) const {
        add("k", op.path, {}, op.version, bad_characters(op.path));
    }
    static unsigned bad_characters(const std::string& path) {
        return acceptable(path, false) ? 0U : k_part_bad_characters;
    }
};

struct call_maker {
    template <class Op>
    script_call operator()(const Op& op) const {
        if constexpr (requires { op.parts; }) {
            script_call call{script::write, {k_multi}};
            for (const auto& part : op.parts) std::visit(argument_writer{call.arguments}, part);
            return call;
        } else if constexpr (requires { op.watch; }) {
            const char* kind = std::is_same_v<Op, core::get_op>      ? "d"
                               : std::is_same_v<Op, core::exists_op> ? "e"
                                                                     : "c";
            return {script::read, {kind, op.path, op.watch == core::watch_mode::watch ? "1" : "0"}};
        } else {
            script_call call{script::write, {k_single}};
            argument_writer{call.arguments}(op);
            return call;
        }
    }
};

std::int64_t number_in(std::string_view text) noexcept {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

const redisReply* element(const redisReply& array, std::size_t index, int type) noexcept {
    if (array.type != REDIS_REPLY_ARRAY || index >= array.elements) return nullptr;
    const redisReply* found = array.element[index];
    return found != nullptr && found->type == type ? found : nullptr;
}

core::server_error to_error(long long code) noexcept {
    return code >= 0 && code <= static_cast<long long>(core::server_error::other)
               ? static_cast<core::server_error>(code)
               : core::server_error::other;
}

const core::set_op* last_set(const core::multi_op& op) noexcept {
    const core::set_op* last = nullptr;
    for (const auto& part : op.parts)
        if (const auto* set = std::get_if<core::set_op>(&part)) last = set;
    return last;
}

bool parse_multi(const core::multi_op& op, const redisReply& answer, core::reply& out) {
    constexpr std::size_t k_codes = 4;
    constexpr std::size_t k_results = 5;
    constexpr std::size_t k_head = 6;
    const auto* codes = element(answer, k_codes, REDIS_REPLY_ARRAY);
    if (codes == nullptr || codes->elements != op.parts.size()) return false;
    const bool ok = out.error == core::server_error::ok;
    const auto* results = element(answer, k_results, REDIS_REPLY_ARRAY);
    if (ok && (results == nullptr || results->elements != 2 * codes->elements)) return false;
    out.paths.resize(codes->elements);
    for (std::size_t i = 0; i != codes->elements; ++i) {
        out.parts.push_back(to_error(codes->element[i]->integer));
        if (!ok) continue;
        out.paths[i] = text_at(*results, 2 * i);
        out.versions.push_back(static_cast<std::int32_t>(results->element[2 * i + 1]->integer));
    }
    const auto* last = last_set(op);
    if (!ok || last == nullptr) return true;
    const auto stat = parse_record(text_at(answer, k_head));
    if (!stat) return false;
    out.stat = *stat;
    out.stat.data_length = static_cast<std::int32_t>(last->data.size());
    return true;
}

bool parse_write(const core::operation& op, const redisReply& answer, core::reply& out) {
    constexpr std::size_t k_path = 4;
    constexpr std::size_t k_head = 5;
    if (const auto* multi = std::get_if<core::multi_op>(&op))
        return parse_multi(*multi, answer, out);
    if (out.error != core::server_error::ok || std::holds_alternative<core::remove_op>(op))
        return true;
    const auto stat = parse_record(text_at(answer, k_head));
    if (!stat) return false;
    out.stat = *stat;
    const auto* create = std::get_if<core::create_op>(&op);
    if (create != nullptr) out.path = text_at(answer, k_path);
    const auto& data = create != nullptr ? create->data : std::get<core::set_op>(op).data;
    out.stat.data_length = static_cast<std::int32_t>(data.size());
    return true;
}

// Parses the reply to a read. The element `first` of the answer contains the head of the znode's record. The other
// elements of the reply follow.
bool parse_read(const core::operation& op, const redisReply& answer, std::size_t first,
                core::reply& out) {
    if (out.error != core::server_error::ok) return true;
    const auto stat = parse_record(text_at(answer, first));
    const auto* length = element(answer, first + 1, REDIS_REPLY_INTEGER);
    if (!stat || length == nullptr || length->integer < 0 || length->integer > INT32_MAX)
        return false;
    out.stat = *stat;
    out.stat.data_length = static_cast<std::int32_t>(length->integer);
    if (std::holds_alternative<core::get_op>(op)) {
        out.data = text_at(answer, first + 2);
    } else if (std::holds_alternative<core::children_op>(op)) {
        const auto* names = element(answer, first + 2, REDIS_REPLY_ARRAY);
        if (names == nullptr) return false;
        out.children.reserve(names->elements);
        for (std::size_t i = 0; i != names->elements; ++i)
            out.children.emplace_back(text_at(*names, i));
    }
    return true;
}

}  // namespace

script_call to_call(const core::operation& op) {
    return std::visit(call_maker{}, op);
}

bool may_be_entry(const core::operation& first) noexcept {
    const auto* create = std::get_if<core::create_op>(&first);
    return create != nullptr && create->mode == create_mode::ephemeral_sequential;
}

bool are_entry(const core::operation& first, const core::operation& second) {
    const auto* list = std::get_if<core::children_op>(&second);
    if (!may_be_entry(first) || list == nullptr) return false;
    const auto& path = std::get<core::create_op>(first).path;
    return list->watch == core::watch_mode::none && local::has_parent(path) &&
           list->path == local::parent_of(path);
}

script_call to_entry(const core::operation& create) {
    auto call = to_call(create);
    call.which = script::enter;
    return call;
}

std::string_view text_at(const redisReply& array, std::size_t index) noexcept {
    if (array.type != REDIS_REPLY_ARRAY || index >= array.elements) return {};
    const redisReply* found = array.element[index];
    if (found == nullptr || found->str == nullptr) return {};
    return {found->str, found->len};
}

std::int64_t number_at(const redisReply& array, std::size_t index) noexcept {
    return number_in(text_at(array, index));
}

std::optional<answer_head> parse_head(const redisReply& answer) {
    const auto* code = element(answer, 0, REDIS_REPLY_INTEGER);
    if (code == nullptr) return std::nullopt;
    answer_head head;
    head.code = static_cast<int>(code->integer);
    if (answer.elements == 1) return head;  // the session has ended
    const auto* next = element(answer, 2, REDIS_REPLY_INTEGER);
    auto events = parse_events(text_at(answer, 3));
    if (next == nullptr || !events) return std::nullopt;
    const auto* zxid = element(answer, 1, REDIS_REPLY_INTEGER);
    head.zxid = zxid != nullptr ? zxid->integer : number_in(text_at(answer, 1));
    head.until_next = std::chrono::microseconds{
        std::clamp<long long>(next->integer, -1, k_longest_until_next.count())};
    head.events = std::move(*events);
    return head;
}

bool parse_reply(const core::operation& op, int code, const redisReply& answer, core::reply& out) {
    out.outcome = core::outcome::answered;
    out.error = to_error(code);
    constexpr std::size_t k_first = 4;
    return core::is_write(op) ? parse_write(op, answer, out) : parse_read(op, answer, k_first, out);
}

bool parse_listing(const core::operation& list, const redisReply& answer, core::reply& out) {
    constexpr std::size_t k_code = 6;
    const auto* code = element(answer, k_code, REDIS_REPLY_INTEGER);
    if (code == nullptr) return false;
    out.outcome = core::outcome::answered;
    out.error = to_error(code->integer);
    return parse_read(list, answer, k_code + 1, out);
}

bool parse_list_along(const redisReply& answer, std::optional<answer_along>& out) {
    constexpr std::size_t k_first = 4;
    constexpr std::size_t k_folder = 7;
    if (answer.elements <= k_folder) return true;
    answer_along found{core::children_op{std::string{text_at(answer, k_folder)}},
                       core::answered(core::server_error::ok)};
    if (!parse_read(found.to, answer, k_first, found.reply)) return false;
    out = std::move(found);
    return true;
}

}  // namespace turnstile::redis
