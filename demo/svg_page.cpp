// SPDX-License-Identifier: Apache-2.0
#include "svg_page.hpp"

#include <fmt/format.h>

#include <iterator>

namespace demo {

namespace {

constexpr std::string_view k_style = R"(
text { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 11px; fill: #344054; }
.title { font-size: 19px; font-weight: bold; fill: #101828; }
.heading { font-size: 13px; font-weight: bold; fill: #101828; }
.muted { fill: #667085; }
.ground { fill: #ffffff; }
.row { fill: #f2f4f7; }
.grid { stroke: #d0d5dd; stroke-width: 1; }
.cut { stroke: #98a2b3; stroke-width: 1.5; }
.waiting { fill: #c5dbf5; }
.holding { fill: #1d5fa8; }
.left_behind { fill: #f0b95b; }
.overdue, .twice { fill: #d92d20; }
.stopped { fill: none; stroke: #b54708; stroke-width: 1.5; stroke-dasharray: 4 2; }
.token { fill: #ffffff; font-size: 10px; }
.mark { stroke: #475467; stroke-width: 1; stroke-dasharray: 2 2; }
.bad_mark { stroke: #d92d20; stroke-width: 1.5; }
.bad { fill: #b42318; font-weight: bold; }
.slow_mark { stroke: #b54708; stroke-width: 1.5; }
.slow { fill: #b54708; font-weight: bold; }
@media (prefers-color-scheme: dark) {
  text { fill: #d0d5dd; }
  .title, .heading { fill: #f9fafb; }
  .muted { fill: #98a2b3; }
  .ground { fill: #14181f; }
  .row { fill: #1d232d; }
  .grid { stroke: #384152; }
  .cut { stroke: #98a2b3; }
  .waiting { fill: #2b4a70; }
  .holding { fill: #7cb8ff; }
  .left_behind { fill: #b57a1e; }
  .overdue, .twice { fill: #ff6b5e; }
  .stopped { stroke: #fdb022; }
  .token { fill: #0c1a2b; }
  .mark { stroke: #98a2b3; }
  .bad_mark { stroke: #ff6b5e; }
  .bad { fill: #ff8a80; }
  .slow_mark { stroke: #fdb022; }
  .slow { fill: #fdb022; }
}
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string_view anchor_of(align where) {
    switch (where) {
        case align::middle: return "middle";
        case align::end: return "end";
        default: return "start";
    }
}

}  // namespace

void svg_page::rectangle(double x, double y, double width, double height, std::string_view style,
                         std::string_view hint) {
    auto out = std::back_inserter(body_);
    fmt::format_to(out, R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" class="{}")",
                   x, y, width, height, style);
    if (hint.empty()) {
        body_ += "/>\n";
    } else {
        fmt::format_to(out, "><title>{}</title></rect>\n", escaped(hint));
    }
}

void svg_page::line(double x1, double y1, double x2, double y2, std::string_view style) {
    fmt::format_to(std::back_inserter(body_),
                   R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)"
                   "\n",
                   x1, y1, x2, y2, style);
}

void svg_page::text(double x, double y, std::string_view text, std::string_view style,
                    align where) {
    fmt::format_to(std::back_inserter(body_),
                   R"(<text x="{:.1f}" y="{:.1f}" class="{}" text-anchor="{}">{}</text>)"
                   "\n",
                   x, y, style, anchor_of(where), escaped(text));
}

std::string svg_page::finish(double height, std::string_view title,
                             std::string_view description) const {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img">
<title>{2}</title>
<desc>{3}</desc>
<style>{4}</style>
<rect width="{0:.0f}" height="{1:.0f}" class="ground"/>
{5}</svg>
)",
        width_, height, escaped(title), escaped(description), k_style, body_);
}

double text_width(std::string_view text, weight w) {
    const double per_character = w == weight::bold ? 7.2 : 6.3;
    return static_cast<double>(text.size()) * per_character;
}

}  // namespace demo
