// SPDX-License-Identifier: Apache-2.0
// metrics_page: numbers in Prometheus's text format.
//
//     metrics_page page{{{"path", "/election"}}};
//     page.add("terms_total", "counter", "How often it has come to lead.", 3);
//     page.text();  // "# HELP turnstile_terms_total ...\n...\nturnstile_terms_total{path=\"/election\"} 3\n"
//
// Thread safety: one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::admin {

class metrics_page {
public:
    static constexpr const char* k_type = "text/plain; version=0.0.4; charset=utf-8";
    using labels = std::vector<std::pair<std::string_view, std::string>>;

    // Each number has these labels.
    explicit metrics_page(const labels& of_all = {});

    // `type`: "gauge" or "counter".
    template <class Number>
    void add(std::string_view name, std::string_view type, std::string_view help, Number value) {
        add_text(name, type, help, std::to_string(value));
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    void add_text(std::string_view name, std::string_view type, std::string_view help,
                  std::string_view value);

    std::string labels_;  // with their braces; empty: none
    std::string text_;
};

}  // namespace turnstile::admin
