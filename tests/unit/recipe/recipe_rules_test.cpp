// SPDX-License-Identifier: Apache-2.0
// Tests functions of recipes that depend only on their arguments: succession in elections, the rules of jobs and rates,
// and the texts that the recipes write into znodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "recipe/election/succession.hpp"
#include "recipe/gate/gate_rules.hpp"
#include "recipe/node/node_data.hpp"

namespace turnstile::detail {
namespace {

TEST(text_fields, come_back_whatever_is_in_them) {
    text_fields fields;
    fields.add("name", "a b=c%d\n\xc3\xa4");
    fields.add("count", -7);
    EXPECT_EQ(fields.text().find('\n'), std::string::npos);
    const auto read = text_fields::parse(fields.text());
    EXPECT_EQ(read.find("name"), "a b=c%d\n\xc3\xa4");
    EXPECT_EQ(read.number("count"), -7);
    EXPECT_EQ(read.number("name"), std::nullopt);
    EXPECT_EQ(read.find("other"), std::nullopt);
    EXPECT_EQ(text_fields::parse("  no pairs here ").find("no"), std::nullopt);
    EXPECT_EQ(text_fields::parse("x=99999999999999999999").number("x"), std::nullopt);
}

// ---- hints that name the next leader of an election -----------------------------------------

constexpr std::int64_t k_now = 1'000'000;

TEST(succession, hints_come_back) {
    const succession_hint hint{"host 2=x", 3, k_now};
    EXPECT_EQ(succession_hint::parse(hint.to_string()), hint);
    for (const auto* text : {"", "10.0.0.1", "turnstile-successor=a steps=-1 until=2",
                             "turnstile-successor= steps=1 until=2", "steps=1 until=2"})
        EXPECT_EQ(succession_hint::parse(text), std::nullopt) << text;
}

TEST(succession, everybody_but_the_named_one_steps_aside_for_a_while) {
    EXPECT_EQ(next_step("10.0.0.1", "a", k_now), (succession_step{true, std::nullopt}));
    const succession_hint hint{"b", 2, k_now};
    const auto text = hint.to_string();
    const succession_step wipes{true, ""};
    EXPECT_EQ(next_step(text, "a", k_now),
              (succession_step{false, (succession_hint{"b", 1, k_now}).to_string()}));
    EXPECT_EQ(next_step(text, "b", k_now), wipes);
    EXPECT_EQ(next_step(text, "a", k_now + 1), wipes);
    EXPECT_EQ(next_step((succession_hint{"b", 0, k_now}).to_string(), "a", k_now), wipes);
}

// The hint names the next leader, and may name a participant that never leads. It also limits how many participants may
// give up the lead for the named participant. After that many participants have given up the lead, the next participant
// leads.
TEST(succession, ends_after_as_many_steps_as_participants) {
    auto text = (succession_hint{"gone", 5, k_now}).to_string();
    int aside = 0;
    for (auto next = next_step(text, "a", k_now); !next.leads; next = next_step(text, "a", k_now)) {
        text = *next.write;
        ++aside;
    }
    EXPECT_EQ(aside, 5);
}

// ---- the rules of jobs ----------------------------------------------------------------------

job_record record(job_state state, std::int64_t started) {
    job_record record;
    record.state = state;
    record.number = 4;
    record.by = "host 1";
    record.started = started;
    record.missed = 2;
    return record;
}

TEST(job_rule, records_come_back) {
    const auto running = record(job_state::running, k_now);
    EXPECT_EQ(parse_job(to_text(running), k_now), running);
    auto done = record(job_state::succeeded, k_now);
    done.ended = k_now + 9;
    EXPECT_EQ(parse_job(to_text(done), k_now + 9), done);
    done.state = job_state::failed;
    EXPECT_EQ(parse_job(to_text(done), k_now + 9), done);
    for (const auto* text : {"", "state=x run=1 by=a missed=0", "state=ok run=1 by=a missed=0",
                             "state=running run=0 by=a missed=0", "run=1 missed=0",
                             "state=ok run=1 by=a missed=0 started=-1",
                             "state=ok run=1 by=a missed=0 started=9223372036854775807"})
        EXPECT_EQ(parse_job(text, k_now), std::nullopt) << text;
}

TEST(job_rule, a_job_that_never_ran_is_due) {
    EXPECT_EQ(decide_job({}, k_now, {100, 0, 0}).verdict, job_verdict::ran);
}

TEST(job_rule, starts_are_a_period_apart) {
    const auto last = record(job_state::succeeded, k_now);
    const job_terms terms{100, 0, 1000};
    EXPECT_EQ(decide_job(last, k_now + 99, terms), (job_decision{job_verdict::not_due, 1, 0}));
    EXPECT_EQ(decide_job(last, k_now + 100, terms), (job_decision{job_verdict::ran, 0, 0}));
    EXPECT_EQ(decide_job(last, k_now + 199, terms).missed, 0U);
    EXPECT_EQ(decide_job(last, k_now + 350, terms).missed, 2U);
    // The new leader's clock may be behind. The new leader then waits longer, but does not start the job twice.
    EXPECT_EQ(decide_job(last, k_now - 50, terms), (job_decision{job_verdict::not_due, 150, 0}));
}

TEST(job_rule, at_least_for_counts_also_without_a_period) {
    const auto last = record(job_state::failed, k_now);
    EXPECT_EQ(decide_job(last, k_now + 20, {0, 50, 1000}),
              (job_decision{job_verdict::not_due, 30, 0}));
    EXPECT_EQ(decide_job(last, k_now + 50, {0, 50, 1000}), (job_decision{job_verdict::ran, 0, 0}));
}

TEST(job_rule, an_open_run_counts_for_at_most_for) {
    const auto last = record(job_state::running, k_now);
    EXPECT_EQ(decide_job(last, k_now + 150, {100, 0, 1000}),
              (job_decision{job_verdict::running, 850, 0}));
    EXPECT_EQ(decide_job(last, k_now + 1000, {100, 0, 1000}).verdict, job_verdict::ran);
    EXPECT_EQ(decide_job(last, k_now + 50, {100, 0, 10}),
              (job_decision{job_verdict::not_due, 50, 0}));
}

// ---- the rules of rate gates ----------------------------------------------------------------

TEST(rate_rule, records_come_back_with_the_newest_stamp) {
    rate_record record{3, 100, {{1}, {2}}};
    auto read = rate_record::parse(record.to_string(), 7);
    record.groups.push_back({7});
    EXPECT_EQ(read, record);
    EXPECT_EQ(rate_record::parse((rate_record{3, 100}).to_string(), 7)->groups,
              std::vector<rate_group>{{7}});
    for (const auto* text :
         {"", "entries=0 period=1 at=", "entries=1 period=1", "entries=1 period=1 at=1,x",
          "entries=1 period=1 at=-1", "entries=1 period=1 at=9223372036854775807",
          "entries=1 period=1 at=1*", "entries=1 period=1 at=1*0", "entries=1 period=1 at=1*-1",
          "entries=1 period=1 at=1*9999999"})
        EXPECT_EQ(rate_record::parse(text, 7), std::nullopt) << text;
}

TEST(rate_rule, a_rule_of_many_entries_counts_them_by_slots) {
    // A slot (a span of time whose entries are counted together) is 1,000 / 59 + 1 = 17 ms long. The first slot
    // contains the time stamps from 0 to 16.
    rate_record record{61, 1'000};
    for (const std::int64_t stamp : {3, 16, 5, 17, 34}) record.add({stamp});
    EXPECT_EQ(record.groups, (std::vector<rate_group>{{16, 3}, {17}, {34}}));
    EXPECT_EQ(record.to_string(), "entries=61 period=1000 at=16*3,17,34");
    record.entries = 60;
    record.add({35});
    EXPECT_EQ(record.groups.size(), 4U);  // a record of 60 entries keeps each stamp
}

// An earlier version of the library wrote a stamp for each entry.
TEST(rate_rule, a_record_of_an_earlier_version_is_read) {
    std::string text = "entries=10000 period=60000 at=";
    for (int entry = 0; entry != 9'999; ++entry)
        text += (entry == 0 ? "" : ",") + std::to_string(k_now + entry * 6);
    const auto record = rate_record::parse(text, k_now + 60'000);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->entered(), 10'000U);
    EXPECT_GT(wait_for_room(*record, k_now + 59'999), 0);
    EXPECT_LT(record->to_string().size(), 1'500U);
}

// The text of a rate_record must stay small for any number of entries, even if the leader's clock is set back.
TEST(rate_rule, a_record_stays_small) {
    base::random source{11};
    for (const std::size_t entries : {1U, 60U, 61U, 10'000U, 1'000'000U}) {
        rate_record record{entries, 60'000};
        std::int64_t now = k_now;
        for (int i = 0; i != 3'000; ++i) {
            now += static_cast<std::int64_t>(source() % 100);
            if (source() % 1'000 == 0) now -= static_cast<std::int64_t>(source() % 100'000);
            forget_old(record, now);
            if (wait_for_room(record, now) > 0) continue;
            ASSERT_LT(record.to_string().size(), 1'500U);
            record.add({now});
        }
    }
}

TEST(rate_rule, never_more_than_n_in_any_period) {
    base::random source{7};
    for (int history = 0; history != 200; ++history) {
        const bool many = history % 8 == 0;
        rate_record record{1 + source() % 4, static_cast<std::int64_t>(1 + source() % 50)};
        if (many) record = {61 + source() % 100, static_cast<std::int64_t>(100 + source() % 1'000)};
        std::vector<std::int64_t> entered;
        std::int64_t now = 0;
        for (int i = 0; i != (many ? 300 : 100); ++i) {
            now += static_cast<std::int64_t>(source() % 20);
            forget_old(record, now);
            const auto wait = wait_for_room(record, now);
            if (wait > 0) {
                now += wait;  // after this time there is room
                forget_old(record, now);
                ASSERT_LE(wait_for_room(record, now), 0);
            }
            now += static_cast<std::int64_t>(source() %
                                             3);  // a leader records an entry a little later
            record.add({now});
            entered.push_back(now);
        }
        for (const auto from : entered) {
            const auto inside = std::count_if(entered.begin(), entered.end(), [&](auto at) {
                return from <= at && at < from + record.period;
            });
            ASSERT_LE(static_cast<std::size_t>(inside), record.entries);
        }
    }
}

// A record with many entries counts them by slots, which are short spans of time. All entries of a slot count until the
// last of them is a period old. So the rate gate may admit an entry up to one slot too late.
TEST(rate_rule, a_slot_gives_its_places_up_together) {
    rate_record record{100, 5'900};  // has slots of 101 ms
    for (std::int64_t stamp = 10'100; stamp != 10'200; ++stamp) record.add({stamp});
    EXPECT_EQ(record.groups.size(), 1U);
    EXPECT_EQ(wait_for_room(record, 10'200), 10'199 + 5'900 - 10'200);
}

}  // namespace
}  // namespace turnstile::detail
