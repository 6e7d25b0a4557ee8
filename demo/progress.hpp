// SPDX-License-Identifier: Apache-2.0
// progress: how far a run is, on one line that is rewritten in a terminal, else as a line a second.
#pragma once

#include <chrono>
#include <string>

#include "text.hpp"

namespace demo {

class progress {
public:
    explicit progress(const terminal& out) : out_{out} {}

    // A new line of progress. The one before stays as it was last shown.
    void begin(std::string title, int total);
    // Says what is going on, from now on.
    void note(std::string text);
    // Call it as often as you like.
    void update(int done);
    // Shows the last state and leaves the line.
    void finish();

private:
    void show();
    [[nodiscard]] std::string line() const;

    using clock = std::chrono::steady_clock;

    const terminal& out_;
    std::string title_;
    std::string note_;
    int total_ = 1;
    int done_ = 0;
    bool open_ = false;  // a line is being shown
    clock::time_point began_{};
    clock::time_point shown_{};
};

}  // namespace demo
