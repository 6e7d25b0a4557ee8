// SPDX-License-Identifier: Apache-2.0
#include "timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "checks.hpp"
#include "label_rows.hpp"
#include "svg_page.hpp"
#include "text.hpp"

namespace demo {

namespace {

constexpr double k_width = 1200;
constexpr double k_left = 88;  // of the lanes; their names stand left of it
constexpr double k_right = k_width - 20;
constexpr double k_lane_height = 20;
constexpr double k_lane_step = 25;
constexpr double k_label_step = 15;
constexpr double k_cut = 26;  // between two segments of an axis
constexpr double k_pixels_between_ticks = 62;
constexpr double k_overhang = 11;  // of a tick's text beyond its segment
constexpr double k_margin = 20;

std::string_view style_of(span_kind kind) {
    switch (kind) {
        case span_kind::waiting: return "waiting";
        case span_kind::holding: return "holding";
        case span_kind::left_behind: return "left_behind";
        default: return "overdue";
    }
}

bool is_bad(mark_kind kind) {
    return kind == mark_kind::killed || kind == mark_kind::server_killed ||
           kind == mark_kind::refused || kind == mark_kind::lease_over;
}

bool is_slow(mark_kind kind) {
    return kind == mark_kind::stopped || kind == mark_kind::resumed;
}

// Draws one panel from `top` on.
class panel_drawing {
public:
    panel_drawing(svg_page& page, const timeline& t, const panel& p, double top)
        : page_{page}, timeline_{t}, panel_{p}, axis_{p, k_left, k_right, k_cut}, top_{top} {}

    // Returns where the panel ends.
    double draw() {
        page_.text(k_margin, top_ + 12, panel_.title, "heading");
        top_ += 22;
        const auto marks = choose_marks();
        const auto places = place(marks);
        lanes_top_ = top_ + k_label_step * rows_of(places) + 4;
        lanes_bottom_ = lanes_top_ + k_lane_step * static_cast<double>(timeline_.lanes.size());
        for (std::size_t i = 0; i < timeline_.lanes.size(); ++i) draw_lane(i);
        draw_stopped();
        draw_marks(marks, places);
        draw_axis();
        return lanes_bottom_ + (axis_.pieces().size() > 1 ? 54 : 44);
    }

private:
    struct shown_mark {
        const mark* label = nullptr;
        double x = 0;
    };

    std::vector<shown_mark> choose_marks() const {
        std::vector<shown_mark> shown;
        for (const auto& m : timeline_.marks) {
            const bool detail = m.kind == mark_kind::lease_over || m.kind == mark_kind::refused ||
                                m.kind == mark_kind::back;
            if (panel_.shows_all && detail) continue;
            for (const auto& piece : axis_.pieces()) {
                if (piece.contains(m.at)) shown.push_back({&m, piece.at(m.at)});
            }
        }
        return shown;
    }

    static std::vector<label_place> place(const std::vector<shown_mark>& marks) {
        std::vector<label_request> requests;
        for (const auto& m : marks) {
            const bool bold = is_bad(m.label->kind) || is_slow(m.label->kind);
            requests.push_back(
                {m.x, text_width(m.label->text, bold ? weight::bold : weight::normal)});
        }
        return place_labels(requests, k_margin, k_right);
    }

    static double rows_of(const std::vector<label_place>& places) {
        int rows = 0;
        for (const auto& p : places) rows = std::max(rows, p.row + 1);
        return rows;
    }

    double lane_y(std::size_t i) const { return lanes_top_ + k_lane_step * static_cast<double>(i); }

    void draw_lane(std::size_t i) {
        const auto& lane = timeline_.lanes[i];
        const double y = lane_y(i);
        page_.text(k_left - 10, y + 14, fmt::format("worker {}", lane.worker), "name", align::end);
        for (const auto& piece : axis_.pieces()) {
            page_.rectangle(piece.left, y, piece.right - piece.left, k_lane_height, "row");
            for (const auto& s : lane.spans) draw_span(piece, s, y);
        }
    }

    void draw_span(const axis::piece& piece, const span& s, double y) {
        if (s.to < piece.time.from || s.from > piece.time.to) return;
        const double x = piece.at(s.from);
        const double width = piece.at(s.to) - x;
        const auto token = s.token.to_string();
        const bool named = s.kind == span_kind::holding && !panel_.shows_all;
        const auto hint =
            named ? fmt::format("token {}, held for {}", token, in_milliseconds(s.to - s.from))
                  : std::string{};
        page_.rectangle(x, y, width, k_lane_height, style_of(s.kind), hint);
        if (named && text_width(token) + 2 < width) {
            page_.text(x + width / 2, y + 14, token, "token", align::middle);
        }
    }

    void draw_stopped() {
        for (const auto& stop : timeline_.stopped) {
            for (const auto& piece : axis_.pieces()) {
                if (stop.to < piece.time.from || stop.from > piece.time.to) continue;
                const double x = piece.at(stop.from);
                const double y = lane_y(static_cast<std::size_t>(timeline_.stopped_worker) - 1);
                page_.rectangle(x, y - 1, piece.at(stop.to) - x, k_lane_height + 2, "stopped");
            }
        }
    }

    void draw_marks(const std::vector<shown_mark>& marks, const std::vector<label_place>& places) {
        for (std::size_t i = 0; i < marks.size(); ++i) {
            const auto kind = marks[i].label->kind;
            const double x = marks[i].x;
            const double y = top_ + k_label_step * places[i].row;
            const bool bad = is_bad(kind);
            const bool slow = is_slow(kind);
            page_.line(x, y, x, lanes_bottom_ - 5, bad ? "bad_mark" : slow ? "slow_mark" : "mark");
            const bool to_left = places[i].to_left;
            page_.text(to_left ? x - 4 : x + 4, y + 10, marks[i].label->text,
                       bad    ? "bad"
                       : slow ? "slow"
                              : "note",
                       to_left ? align::end : align::start);
        }
    }

    void draw_axis() {
        const double y = lanes_bottom_;
        const auto& pieces = axis_.pieces();
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto& piece = pieces[i];
            page_.line(piece.left, y, piece.right, y, "grid");
            for (const auto& t : ticks_of(piece, timeline_.origin, k_pixels_between_ticks)) {
                page_.line(t.x, y, t.x, y + 4, "cut");
                const double half = text_width(t.text) / 2;
                if (t.x - half < piece.left - k_overhang || t.x + half > piece.right + k_overhang) {
                    continue;
                }
                page_.text(t.x, y + 16, t.text, "muted", align::middle);
            }
            if (i + 1 < pieces.size()) draw_cut(piece, pieces[i + 1]);
        }
    }

    void draw_cut(const axis::piece& before, const axis::piece& after) {
        const double x = (before.right + after.left) / 2;
        const double y = lanes_bottom_;
        for (const double dx : {-3.0, 3.0}) page_.line(x + dx - 3, y + 5, x + dx + 3, y - 5, "cut");
        const auto left_out = after.time.from - before.time.to;
        page_.text(x, y + 31,
                   left_out > duration::zero() ? in_milliseconds(left_out) + " not shown"
                                               : std::string{"another scale"},
                   "muted", align::middle);
    }

    svg_page& page_;
    const timeline& timeline_;
    const panel& panel_;
    axis axis_;
    double top_;
    double lanes_top_ = 0;
    double lanes_bottom_ = 0;
};

double draw_legend(svg_page& page, double top) {
    struct entry {
        std::string_view style;
        std::string_view text;
    };
    constexpr entry k_entries[]{
        {"waiting", "waits in the queue"},
        {"holding", "holds the lock (fencing token)"},
        {"left_behind", "dead or lease over, still first in the queue"},
        {"overdue", "past its lease, lock with others"},
        {"stopped", "process stopped"},
    };
    double x = k_margin;
    for (const auto& e : k_entries) {
        page.rectangle(x, top, 22, 12, e.style);
        page.text(x + 28, top + 10, e.text, "name");
        x += 28 + text_width(e.text) + 20;
    }
    return top + 34;
}

// How often each item was sold, one thin bar an item.
double draw_sales(svg_page& page, const run_record& run, std::string_view name, double top) {
    constexpr double k_height = 64;
    const auto times = sales_per_item(run);
    const int most = std::max(1, *std::max_element(times.begin(), times.end()));
    const double unit = std::min(12.0, k_height / most);
    const double bottom = top + unit * most + 18;
    const auto twice = std::count_if(times.begin(), times.end(), [](int n) { return n > 1; });
    page.text(k_left, top + 10,
              fmt::format("{}: {} sales of {} items, {} of them sold more than once", name,
                          run.sales.size(), times.size(), twice),
              "name");
    const double width = (k_right - k_left) / static_cast<double>(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double x = k_left + width * static_cast<double>(i);
        const int n = times[i];
        if (n > 0) page.rectangle(x, bottom - unit, width * 0.85, unit, "holding");
        if (n > 1) page.rectangle(x, bottom - unit * n, width * 0.85, unit * (n - 1), "twice");
    }
    page.line(k_left, bottom, k_right, bottom, "grid");
    page.text(k_left - 10, bottom - unit / 2 + 4, "once", "muted", align::end);
    if (most > 2) {
        page.text(k_left - 10, bottom - unit * most + 8, fmt::format("{} times", most), "muted",
                  align::end);
    }
    page.text(k_left, bottom + 14, "item 1", "muted");
    page.text(k_right, bottom + 14, fmt::format("item {}", times.size()), "muted", align::end);
    return bottom + 28;
}

std::string guardian_sentence(const run_record& run) {
    const auto killed = first_of(run, event_kind::killed_guarded);
    if (!killed) return {};
    return fmt::format(" Worker {} has a guardian: a process that closes its session when it dies.",
                       killed->worker);
}

}  // namespace

std::string to_svg(const timeline& t, const run_record& with_lock, const run_record& without_lock) {
    svg_page page{k_width};
    const auto title = fmt::format("{} workers sell {} items under one lock",
                                   with_lock.settings.workers, with_lock.settings.items);
    page.text(k_margin, 32, title, "title");
    page.text(
        k_margin, 52,
        fmt::format("On {}. Each row is a process. 0 s is {} by {}; the session time-out is {}.{}",
                    words_of(with_lock.settings.servers).where, t.origin_text,
                    words_of(with_lock.settings.servers).clock,
                    in_seconds(with_lock.settings.session_timeout), guardian_sentence(with_lock)),
        "muted");
    double y = draw_legend(page, 66);
    for (const auto& p : t.panels) y = panel_drawing{page, t, p, y}.draw();

    page.text(k_margin, y + 12, "How often each item was sold", "heading");
    y = draw_sales(page, with_lock, "With the lock", y + 20);
    y = draw_sales(page, without_lock, "Without a lock", y + 6);
    return page.finish(
        y + 10, title,
        "Rows of worker processes over time: waiting in the queue, holding the lock.");
}

}  // namespace demo
