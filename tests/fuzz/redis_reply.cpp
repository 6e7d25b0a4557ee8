// SPDX-License-Identifier: Apache-2.0
// Fuzzes bytes from a Redis server or a sentinel: replies to scripts, records, events, bells (messages that wake a
// session), INFO, redirections and the master's address. The parser refuses an answer, or returns numbers in their
// bounds, and one result for each part of a transaction. An address that the parser returns is valid in a connect
// string.
#include <hiredis/hiredis.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/sha1.hpp"
#include "core/seam/seam.hpp"
#include "fuzz_input.hpp"
#include "redis/bell.hpp"
#include "redis/line.hpp"
#include "redis/master_search.hpp"
#include "redis/reply_bound.hpp"
#include "redis/requests.hpp"
#include "redis/server_words.hpp"
#include "support/hexadecimal.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;

constexpr std::int64_t k_largest_number = std::int64_t{1} << 53U;

void check_address(const std::optional<redis::server_address>& found) {
    if (!found) return;
    expect(found->port != 0, "a port is none");
    redis::server_address again;
    const auto text = to_string(*found);
    expect(redis::parse_address(text, 1, again).empty() && again == *found,
           "an address is none of a connect string", text);
}

void check_stat(const core::stat& s) {
    for (const auto number : {s.czxid, s.mzxid, s.pzxid, s.ctime, s.mtime, s.ephemeral_owner})
        expect(number > -k_largest_number && number < k_largest_number, "a number is too large");
    expect(s.data_length >= 0, "the data have a negative length");
}

void check_events(const std::vector<core::watch_event>& events) {
    for (const auto& event : events)
        expect(event.kind <= core::watch_kind::children, "an event is of no kind");
}

std::array<core::operation, 7> requests() {
    return {core::get_op{"/a"},
            core::exists_op{"/a"},
            core::children_op{"/a"},
            core::create_op{"/a/x", "data"},
            core::set_op{"/a", "data"},
            core::remove_op{"/a"},
            core::multi_op{
                {core::create_op{"/a/x", {}}, core::set_op{"/a", "data"}, core::remove_op{"/b"}}}};
}

void check_reply(const core::operation& asked, int code, const redisReply& answer) {
    core::reply reply;
    if (!redis::parse_reply(asked, code, answer, reply)) return;
    check_stat(reply.stat);
    const auto* multi = std::get_if<core::multi_op>(&asked);
    if (multi == nullptr) return;
    expect(reply.parts.size() == multi->parts.size(), "a part of a transaction is not answered");
    expect(reply.paths.size() == multi->parts.size(), "a path of a transaction is missing");
    expect(reply.error != core::server_error::ok || reply.versions.size() == multi->parts.size(),
           "a version of a transaction is missing");
}

void check_answer(const redisReply& answer) {
    check_address(redis::master_in(answer));
    expect(redis::epoch_in(answer) >= 0, "an epoch is negative");
    const auto head = redis::parse_head(answer);
    if (!head) return;
    expect(head->until_next < std::chrono::hours{25}, "the next session is due too late");
    check_events(head->events);
    for (const auto& asked : requests()) check_reply(asked, head->code, answer);
    core::reply listing;
    if (redis::parse_listing(core::children_op{"/a"}, answer, listing)) check_stat(listing.stat);
    std::optional<redis::answer_along> along;
    if (redis::parse_list_along(answer, along) && along) check_stat(along->reply.stat);
}

struct reader_end {
    void operator()(redisReader* reader) const noexcept { ::redisReaderFree(reader); }
};

void check_replies(std::string_view bytes) {
    redisReader* const parser = ::redisReaderCreate();
    redis::reply_bound bound{*parser};
    const std::unique_ptr<redisReader, reader_end> reader{parser};
    if (::redisReaderFeed(reader.get(), bytes.data(), bytes.size()) != REDIS_OK) return;
    for (void* next = nullptr;;) {
        bound.begin();
        if (::redisReaderGetReply(reader.get(), &next) != REDIS_OK || next == nullptr) return;
        const redis::owned_reply reply{static_cast<redisReply*>(next)};
        check_answer(*reply);
    }
}

void check_words(std::string_view text) {
    const auto facts = redis::parse_info(text);
    expect(facts.uptime >= 0 && facts.replicas >= 0, "a count is negative", text);
    expect(redis::stays_out_for(facts, 30) >= 0, "a server stays out for a negative time", text);
    bool too_old = false;
    const auto why = redis::unfit(facts, too_old);
    expect(fuzz::is_printable_ascii(why) && why.size() < 400, "a reason cannot be shown", why);
    expect(!too_old || !why.empty(), "a server is too old without a reason", text);
    check_address(redis::moved_to(text, {"redis1", 6379}));
    check_address(redis::moved_to("MOVED 3999 " + std::string{text}, {"redis1", 6379}));
    const auto error = "ERR unknown command, with args beginning with: " + std::string{text};
    expect(redis::without_arguments(error) == "ERR unknown command", "arguments are shown", error);
    static_cast<void>(redis::is_broken_off(text));
}

void check_wake(std::string_view body) {
    const std::string mark = "1:30000000:secret:";
    expect(!redis::parse_bell(body, mark), "a bell without the session's mark is taken", body);
    const auto told = redis::parse_bell(
        support::hexadecimal_digits(base::sha1(std::string{body} + mark)) + std::string{body},
        mark);
    if (!told) return;
    check_events({told->event});
    expect(told->zxid > -k_largest_number && told->zxid < k_largest_number, "a zxid is too large");
    if (!told->listing) return;
    check_stat(told->listing->reply.stat);
    std::size_t bytes = 0;
    for (const auto& name : told->listing->reply.children) bytes += 4 + name.size();
    expect(bytes < body.size(), "a list has more than came");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::byte_source in{data, size};
    const auto chosen = in.byte();
    const auto rest = in.rest();
    switch (chosen % 3) {
        case 0: check_replies(rest); break;
        case 1: check_words(rest); break;
        default: check_wake(rest); break;
    }
    return 0;
}
