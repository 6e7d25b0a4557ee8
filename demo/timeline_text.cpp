// SPDX-License-Identifier: Apache-2.0
#include "timeline_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace demo {

namespace {

constexpr int k_name_width = 10;
constexpr int k_cut_width = 3;
constexpr double k_columns_between_ticks = 12;

// One character of the picture.
struct cell {
    std::string glyph = " ";
    tint colour = tint::plain;
};
using row = std::vector<cell>;

std::string paint_row(const row& cells, const terminal& out) {
    std::string text;
    for (std::size_t i = 0; i < cells.size();) {
        std::string same;
        const auto colour = cells[i].colour;
        while (i < cells.size() && cells[i].colour == colour) same += cells[i++].glyph;
        text += out.paint(colour, same);
    }
    return text;
}

std::string_view glyph_of(mark_kind kind) {
    switch (kind) {
        case mark_kind::killed:
        case mark_kind::server_killed: return "✗";
        case mark_kind::server_back: return "▲";
        case mark_kind::stopped: return "‖";
        case mark_kind::resumed: return "▶";
        case mark_kind::lease_over: return "◌";
        case mark_kind::refused: return "⊘";
        default: return "→";
    }
}

tint tint_of(mark_kind kind) {
    switch (kind) {
        case mark_kind::killed:
        case mark_kind::server_killed:
        case mark_kind::lease_over:
        case mark_kind::refused: return tint::red;
        case mark_kind::stopped:
        case mark_kind::resumed: return tint::yellow;
        default: return tint::green;
    }
}

// How much of [from, to) the lane spends in each kind of span.
using shares = std::array<double, 4>;
shares shares_of(const lane& l, time_point from, time_point to) {
    shares result{};
    const auto length = static_cast<double>(std::max<duration::rep>(1, (to - from).count()));
    for (const auto& s : l.spans) {
        const auto overlap = std::min(s.to, to) - std::max(s.from, from);
        if (overlap <= duration::zero()) continue;
        result.at(static_cast<std::size_t>(s.kind)) +=
            static_cast<double>(overlap.count()) / length;
    }
    return result;
}

cell cell_of(const shares& part) {
    const auto of = [&](span_kind kind) { return part.at(static_cast<std::size_t>(kind)); };
    if (of(span_kind::overdue) > 0) return {"!", tint::red};
    if (of(span_kind::left_behind) > 0.5) return {"~", tint::yellow};
    const double holding = of(span_kind::holding);
    if (holding >= 0.5) return {"█", tint::blue};
    if (holding >= 0.15) return {"▓", tint::blue};
    if (holding > 0) return {"▒", tint::blue};
    if (of(span_kind::waiting) > 0) return {"░", tint::dim};
    return {};
}

// The picture of one panel.
class panel_text {
public:
    panel_text(const timeline& t, const panel& p, const terminal& out)
        : timeline_{t},
          panel_{p},
          out_{out},
          axis_{p, k_name_width, out.width - 1.0, k_cut_width} {}

    std::string draw() {
        std::string text = out_.paint(tint::strong, panel_.title) + "\n";
        for (const auto& l : timeline_.lanes) {
            text += fmt::format("{:<{}}{}\n", fmt::format("worker {}", l.worker), k_name_width,
                                paint_row(lane_row(l), out_));
        }
        text += fmt::format("{:<{}}{}\n", "", k_name_width, paint_row(axis_row(), out_));
        return text + mark_list();
    }

private:
    int cells() const { return out_.width - k_name_width; }

    // The cells of a piece of the axis, counted from the end of the names.
    struct columns {
        int first = 0;
        int last = 0;  // one past
    };
    static columns columns_of(const axis::piece& piece) {
        return {static_cast<int>(std::lround(piece.left)) - k_name_width,
                static_cast<int>(std::lround(piece.right)) - k_name_width};
    }

    static time_point time_at(const axis::piece& piece, int column) {
        const auto c = columns_of(piece);
        const double part = static_cast<double>(column - c.first) / (c.last - c.first);
        return piece.time_at(piece.left + part * (piece.right - piece.left));
    }

    static int column_at(const axis::piece& piece, time_point t) {
        const auto c = columns_of(piece);
        const double part = (piece.at(t) - piece.left) / (piece.right - piece.left);
        return std::min(c.last - 1, c.first + static_cast<int>(part * (c.last - c.first)));
    }

    row lane_row(const lane& l) const {
        row cells_of_lane(static_cast<std::size_t>(cells()));
        for (const auto& piece : axis_.pieces()) {
            const auto c = columns_of(piece);
            for (int i = c.first; i < c.last; ++i) {
                cells_of_lane[static_cast<std::size_t>(i)] =
                    cell_of(shares_of(l, time_at(piece, i), time_at(piece, i + 1)));
            }
            if (!panel_.shows_all) write_tokens(cells_of_lane, l, piece);
            write_marks(cells_of_lane, l, piece);
        }
        write_cuts(cells_of_lane);
        return cells_of_lane;
    }

    // Holds that are wide enough carry their token.
    void write_tokens(row& target, const lane& l, const axis::piece& piece) const {
        for (const auto& s : l.spans) {
            if (s.kind != span_kind::holding) continue;
            if (s.to < piece.time.from || s.from > piece.time.to) continue;
            const auto token = s.token.to_string();
            const int first = column_at(piece, s.from);
            const int width = column_at(piece, s.to) - first;
            if (static_cast<std::size_t>(std::max(0, width)) < token.size()) continue;
            const int begin = first + (width - static_cast<int>(token.size())) / 2;
            for (std::size_t i = 0; i < token.size(); ++i) {
                target[static_cast<std::size_t>(begin) + i] = {std::string{token[i]},
                                                               tint::blue_ground};
            }
        }
    }

    void write_marks(row& target, const lane& l, const axis::piece& piece) const {
        for (const auto& m : timeline_.marks) {
            const bool pointed = m.kind == mark_kind::killed ||
                                 m.kind == mark_kind::server_killed ||
                                 m.kind == mark_kind::stopped || m.kind == mark_kind::resumed;
            if (!pointed || m.worker != l.worker || !piece.contains(m.at)) continue;
            target[static_cast<std::size_t>(column_at(piece, m.at))] = {
                std::string{glyph_of(m.kind)}, tint_of(m.kind)};
        }
    }

    void write_cuts(row& target) const {
        const auto& pieces = axis_.pieces();
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
            const int last = columns_of(pieces[i]).last;
            const int first = columns_of(pieces[i + 1]).first;
            target[static_cast<std::size_t>((last + first) / 2)] = {"┊", tint::dim};
        }
    }

    row axis_row() const {
        row cells_of_axis(static_cast<std::size_t>(cells()), {" ", tint::dim});
        for (const auto& piece : axis_.pieces()) {
            for (const auto& t : ticks_of(piece, timeline_.origin, k_columns_between_ticks)) {
                const int at = static_cast<int>(t.x) - k_name_width;
                if (at + 1 + static_cast<int>(t.text.size()) > columns_of(piece).last) continue;
                auto target = cells_of_axis.begin() + at;
                (target++)->glyph = "╵";
                for (const char c : t.text) (target++)->glyph = c;
            }
        }
        return cells_of_axis;
    }

    // What happened in the panel, in words. The whole run's marks are told by the other panels.
    std::string mark_list() const {
        std::string text;
        if (panel_.shows_all) return text;
        for (const auto& m : timeline_.marks) {
            const auto& pieces = axis_.pieces();
            if (std::none_of(pieces.begin(), pieces.end(),
                             [&](const axis::piece& p) { return p.contains(m.at); })) {
                continue;
            }
            const auto at = std::chrono::duration<double>{m.at - timeline_.origin}.count();
            text += fmt::format("{:<{}}{} {:7.3f} s  {}\n", "", k_name_width,
                                out_.paint(tint_of(m.kind), glyph_of(m.kind)), at, m.text);
        }
        return text;
    }

    const timeline& timeline_;
    const panel& panel_;
    const terminal& out_;
    axis axis_;
};

std::string legend(const terminal& out) {
    return fmt::format(
        "{} waits   {} holds (the fuller, the longer)   {} dead or lease over, still first in the "
        "queue   "
        "{} past its lease\n",
        out.paint(tint::dim, "░"), out.paint(tint::blue, "▒▓█"), out.paint(tint::yellow, "~"),
        out.paint(tint::red, "!"));
}

}  // namespace

std::string to_text(const timeline& t, const terminal& out) {
    std::string text;
    for (const auto& p : t.panels) text += panel_text{t, p, out}.draw() + "\n";
    return text + legend(out);
}

}  // namespace demo
