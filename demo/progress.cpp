// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace demo {

namespace {

constexpr int k_bar_width = 24;
constexpr std::chrono::milliseconds k_live_every{80};
constexpr std::chrono::seconds k_plain_every{1};

std::string bar(int done, int total) {
    const int full = std::clamp(done * k_bar_width / std::max(1, total), 0, k_bar_width);
    std::string text;
    for (int i = 0; i < k_bar_width; ++i) text += i < full ? "█" : "░";
    return text;
}

}  // namespace

void progress::begin(std::string title, int total) {
    title_ = std::move(title);
    note_.clear();
    total_ = total;
    done_ = 0;
    began_ = clock::now();
    open_ = true;
}

void progress::note(std::string text) {
    note_ = std::move(text);
    show();
}

void progress::update(int done) {
    done_ = done;
    const auto every = out_.live ? clock::duration{k_live_every} : clock::duration{k_plain_every};
    if (clock::now() - shown_ >= every) show();
}

void progress::finish() {
    if (!open_) return;
    note_.clear();
    show();
    open_ = false;
    if (out_.live) std::fputs("\n", stdout);
    std::fflush(stdout);
}

std::string progress::line() const {
    const auto elapsed = std::chrono::duration<double>{clock::now() - began_}.count();
    const auto counts = fmt::format(" {:>4}/{} {:5.1f} s", done_, total_, elapsed);
    const auto used = title_.size() + 2 + k_bar_width + counts.size() + 3;
    const auto room = static_cast<std::size_t>(std::max(0, out_.width - static_cast<int>(used)));
    const auto note = note_.empty()
                          ? std::string{}
                          : fmt::format("  {}", out_.live ? note_.substr(0, room) : note_);
    const auto colour = done_ > total_ ? tint::red : tint::blue;
    return fmt::format("{}  {}{}{}", title_, out_.paint(colour, bar(done_, total_)), counts, note);
}

void progress::show() {
    shown_ = clock::now();
    if (out_.live) {
        fmt::print("\r\033[K{}", line());
    } else {
        fmt::print("{}\n", line());
    }
    std::fflush(stdout);
}

}  // namespace demo
