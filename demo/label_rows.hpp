// SPDX-License-Identifier: Apache-2.0
// label_rows: finds a place for each label of a row of vertical marks, so that no two labels overlap
// and no mark's line runs through another's label.
#pragma once

#include <vector>

namespace demo {

struct label_request {
    double x = 0;      // of the mark's line, which runs down from its label
    double width = 0;  // of the text
};

struct label_place {
    int row = 0;           // from the top
    bool to_left = false;  // the text ends at the line instead of starting there
};

// One place for each request; they come in order of x. Labels stay within [left, right].
[[nodiscard]] std::vector<label_place> place_labels(const std::vector<label_request>& requests,
                                                    double left, double right);

}  // namespace demo
