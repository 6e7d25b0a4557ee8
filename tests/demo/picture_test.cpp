// SPDX-License-Identifier: Apache-2.0
// What the pictures show of a run, and that their labels keep out of each other's way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "label_rows.hpp"
#include "sample_run.hpp"
#include "timeline.hpp"
#include "timeline_svg.hpp"
#include "timeline_text.hpp"

namespace demo {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double k_left = 0;
constexpr double k_right = 1'000;

struct box {
    double line, from, to;
    int row;
};

box box_of(const label_request& r, label_place p) {
    return {r.x, p.to_left ? r.x - r.width : r.x, p.to_left ? r.x : r.x + r.width, p.row};
}

TEST(label_rows, keep_labels_and_lines_apart) {
    std::mt19937 random{1};
    for (int round = 0; round < 200; ++round) {
        std::vector<label_request> requests;
        double x = 0;
        for (int i = 0; i < 6; ++i) {
            x += std::uniform_real_distribution<>{0, 120}(random);
            requests.push_back({x, std::uniform_real_distribution<>{20, 200}(random)});
        }
        const auto places = place_labels(requests, k_left, k_right);
        ASSERT_EQ(places.size(), requests.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto a = box_of(requests[i], places[i]);
            EXPECT_GE(a.from, k_left);
            EXPECT_LE(a.to, k_right);
            for (std::size_t j = 0; j < i; ++j) {
                const auto b = box_of(requests[j], places[j]);
                if (a.row == b.row) {
                    EXPECT_TRUE(a.to < b.from || b.to < a.from) << round;
                } else {
                    const auto& upper = a.row < b.row ? a : b;
                    const auto& lower = a.row < b.row ? b : a;
                    EXPECT_FALSE(lower.from < upper.line && upper.line < lower.to) << round;
                }
            }
        }
    }
}

TEST(timeline, shows_who_held_and_what_was_left_behind) {
    const auto t = make_timeline(sample_run());
    ASSERT_EQ(t.lanes.size(), 4U);
    ASSERT_FALSE(t.lanes[0].spans.empty());
    EXPECT_EQ(t.lanes[0].spans.back().kind, span_kind::left_behind);
    EXPECT_EQ(t.lanes[3].spans.back().kind, span_kind::left_behind);
    for (const auto& l : t.lanes) {
        for (std::size_t i = 1; i < l.spans.size(); ++i) {
            EXPECT_LE(l.spans[i - 1].to, l.spans[i].from);
        }
    }
    for (const auto& p : t.panels) {
        for (std::size_t i = 1; i < p.segments.size(); ++i) {
            EXPECT_LE(p.segments[i - 1].to, p.segments[i].from) << p.title;
        }
    }
}

TEST(timeline, can_be_made_of_a_run_in_which_nothing_happened) {
    auto run = sample_run();
    run.events.clear();
    EXPECT_THAT(to_text(make_timeline(run), {}), HasSubstr("worker 3"));
}

// Each kill has a panel: with its kill and the next grant in two moments, or in a single one if they are close.
TEST(timeline, shows_each_kill_by_itself) {
    auto run = sample_run();
    const auto panel_of = [](const timeline& t, const std::string& words) {
        return *std::find_if(t.panels.begin(), t.panels.end(), [&](const panel& p) {
            return p.title.find(words) != std::string::npos;
        });
    };
    EXPECT_EQ(panel_of(make_timeline(run), "first kill").segments.size(), 2U);
    EXPECT_EQ(panel_of(make_timeline(run), "second kill").segments.size(), 1U);
    for (auto& e : run.events)
        if (e.at > first_of(run, event_kind::killed_guarded)->at) e.at += std::chrono::seconds{1};
    EXPECT_EQ(panel_of(make_timeline(run), "second kill").segments.size(), 2U);
}

// On the kinds of server whose second blow is another, it has a panel of its own.
TEST(timeline, shows_the_kill_of_the_server) {
    auto run = sample_run();
    for (auto& e : run.events)
        if (e.kind == event_kind::killed_guarded) e.kind = event_kind::server_killed;
    const auto killed = first_of(run, event_kind::server_killed).value();
    run.events.push_back({event_kind::server_back, 4, killed.at + std::chrono::seconds{1}});
    const auto svg = to_svg(make_timeline(run), run, run);
    EXPECT_THAT(svg, HasSubstr("SIGKILL of the server"));
    EXPECT_THAT(svg, HasSubstr("the server is back, 1.00 s later"));
    EXPECT_THAT(svg, HasSubstr("nobody else gets the lock meanwhile"));
}

TEST(timeline_text, is_as_wide_as_the_terminal_and_plain_without_colours) {
    for (const int width : {60, 80, 133}) {
        const auto text = to_text(make_timeline(sample_run()), {.width = width});
        EXPECT_THAT(text, Not(HasSubstr("\033")));
        const auto end = text.find("worker 2");
        const auto line = text.substr(text.find("worker 1"), end - text.find("worker 1"));
        const auto is_first_byte = [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        };
        EXPECT_LE(std::count_if(line.begin(), line.end(), is_first_byte), width + 1);
    }
}

TEST(timeline_svg, has_the_tokens_and_what_happened) {
    const auto run = sample_run();
    const auto svg = to_svg(make_timeline(run), run, run);
    EXPECT_THAT(svg, HasSubstr("SIGKILL worker 1"));
    EXPECT_THAT(svg, HasSubstr("worker 3 granted 0x1a, 4.20 s later"));
    EXPECT_THAT(svg, HasSubstr("SIGKILL worker 4, which has a guardian"));
    EXPECT_THAT(svg, HasSubstr("worker 2 granted 0x1e, 30.0 ms later"));
    EXPECT_THAT(svg, HasSubstr("Worker 4 has a guardian"));
    EXPECT_THAT(svg, HasSubstr("SIGSTOP worker 2"));
    EXPECT_THAT(svg, HasSubstr("write with 0x1e refused"));
    EXPECT_THAT(svg, HasSubstr(">0x18<"));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
}

}  // namespace

}  // namespace demo
