// SPDX-License-Identifier: Apache-2.0
#include "label_rows.hpp"

#include <algorithm>
#include <cstddef>

namespace demo {

namespace {

constexpr double k_between = 8;    // two labels in a row
constexpr double k_from_line = 3;  // a label and its line

struct placed {
    double line = 0;
    double from = 0;
    double to = 0;
    int row = 0;
};

placed box_of(const label_request& request, label_place where) {
    const double from = where.to_left ? request.x - k_from_line - request.width  //
                                      : request.x + k_from_line;
    return {request.x, from, from + request.width, where.row};
}

bool collide(const placed& a, const placed& b) {
    if (a.row == b.row) return a.from < b.to + k_between && b.from < a.to + k_between;
    // A line runs down through the rows below its label.
    const auto& upper = a.row < b.row ? a : b;
    const auto& lower = a.row < b.row ? b : a;
    return lower.from < upper.line && upper.line < lower.to;
}

}  // namespace

std::vector<label_place> place_labels(const std::vector<label_request>& requests, double left,
                                      double right) {
    std::vector<placed> done;
    std::vector<label_place> places;
    const auto fits = [&](const placed& candidate) {
        return candidate.from >= left && candidate.to <= right &&
               std::none_of(done.begin(), done.end(),
                            [&](const placed& other) { return collide(candidate, other); });
    };
    // Requests come in order of x, so that a label to the right of its line always fits into a row of
    // its own below all others, unless it runs out of the picture.
    int next_row = 0;
    for (const auto& request : requests) {
        label_place where{next_row, request.x + k_from_line + request.width > right};
        for (int i = 0; i <= 2 * next_row; ++i) {
            const label_place candidate{i / 2, i % 2 == 1};
            if (!fits(box_of(request, candidate))) continue;
            where = candidate;
            break;
        }
        next_row = std::max(next_row, where.row + 1);
        done.push_back(box_of(request, where));
        places.push_back(where);
    }
    return places;
}

}  // namespace demo
