// SPDX-License-Identifier: Apache-2.0
#include "turnstile/metric_family.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "support/utf8.hpp"

namespace turnstile {
namespace {

std::string_view type_of(metric_kind kind) {
    switch (kind) {
        case metric_kind::counter: return "counter";
        case metric_kind::histogram: return "histogram";
        case metric_kind::gauge: break;
    }
    return "gauge";
}

// Returns the shortest text from which a parser gets the same number. The text does not depend on the locale.
std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    constexpr double k_exact = 9007199254740992;  // 2^53: larger integers would only look exact
    char text[32];
    const auto end = value == std::trunc(value) && std::abs(value) < k_exact
                         ? std::to_chars(text, text + sizeof text, static_cast<long long>(value))
                         : std::to_chars(text, text + sizeof text, value);
    return {text, end.ptr};
}

void append_escaped(std::string& to, std::string_view text, bool quoted) {
    while (!text.empty()) {
        const auto length = support::decode_utf8(text).length;
        const char first = text.front();
        if (length == 0) {
            to += "\xef\xbf\xbd";
        } else if (first == '\n') {
            to += "\\n";
        } else if (first == '\\' || (quoted && first == '"')) {
            to.append(1, '\\').append(1, first);
        } else {
            to += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

class text_writer {
public:
    void add(const metric_family& family) {
        if (family.samples.empty()) return;
        text_.append("# HELP ").append(family.name).append(1, ' ');
        append_escaped(text_, family.help, false);
        text_.append("\n# TYPE ").append(family.name).append(1, ' ');
        text_.append(type_of(family.kind)).append(1, '\n');
        for (const auto& sample : family.samples) {
            if (family.kind == metric_kind::histogram)
                add_histogram(family.name, sample);
            else
                add_line(family.name, sample, {}, number(sample.value));
        }
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void add_histogram(const std::string& name, const metric_sample& sample) {
        const auto& histogram = sample.histogram;
        std::uint64_t below = 0;
        for (std::size_t i = 0; i != histogram.bounds.size(); ++i) {
            if (i < histogram.counts.size()) below += histogram.counts[i];
            add_line(name + "_bucket", sample, number(histogram.bounds[i]), std::to_string(below));
        }
        const auto all = std::to_string(histogram.total());
        add_line(name + "_bucket", sample, "+Inf", all);
        add_line(name + "_sum", sample, {}, number(histogram.sum));
        add_line(name + "_count", sample, {}, all);
    }
    // `bound`: the value of the label `le`. If `bound` is empty, the line has no such label.
    void add_line(const std::string& name, const metric_sample& sample, const std::string& bound,
                  const std::string& value) {
        text_ += name;
        char before = '{';
        const auto label = [&](const std::string& key, const std::string& text) {
            text_.append(1, before).append(key).append("=\"");
            append_escaped(text_, text, true);
            text_ += '"';
            before = ',';
        };
        for (const auto& [key, text] : sample.labels) label(key, text);
        if (!bound.empty()) label("le", bound);
        if (before == ',') text_ += '}';
        text_.append(1, ' ').append(value).append(1, '\n');
    }

    std::string text_;
};

}  // namespace

std::uint64_t metric_histogram::total() const noexcept {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

double metric_histogram::quantile(double q) const noexcept {
    const auto all = total();
    if (all == 0 || bounds.empty()) return 0;
    const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(all);
    double below = 0;
    double lower = 0;
    for (std::size_t i = 0; i != bounds.size(); ++i) {
        const auto here = static_cast<double>(counts[i]);
        if (here > 0 && below + here >= rank)
            return lower + (bounds[i] - lower) * std::max(rank - below, 0.0) / here;
        below += here;
        lower = bounds[i];
    }
    return bounds.back();
}

std::string prometheus_text(std::span<const metric_family> families) {
    text_writer all;
    for (const auto& family : families) all.add(family);
    return all.take();
}

}  // namespace turnstile
