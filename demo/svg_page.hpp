// SPDX-License-Identifier: Apache-2.0
// svg_page: writes the few SVG elements that the demo's picture needs.
//
//     svg_page page{1200};
//     page.rectangle(10, 10, 80, 20, "holding");
//     page.text(50, 24, "inside", "label", align::middle);
//     file << page.finish(400);
//
// Looks come from the classes in its style sheet, which has a set of colours for light and one for
// dark ground.
#pragma once

#include <string>
#include <string_view>

namespace demo {

enum class align { start, middle, end };

class svg_page {
public:
    explicit svg_page(double width) : width_{width} {}

    // `hint` is shown under the mouse; empty: none.
    void rectangle(double x, double y, double width, double height, std::string_view style,
                   std::string_view hint = {});
    void line(double x1, double y1, double x2, double y2, std::string_view style);
    void text(double x, double y, std::string_view text, std::string_view style,
              align where = align::start);

    // The whole page; `title` and `description` are for readers that cannot see it.
    [[nodiscard]] std::string finish(double height, std::string_view title,
                                     std::string_view description) const;

private:
    double width_;
    std::string body_;
};

// About how wide a text of the style sheet's small size is.
enum class weight { normal, bold };
[[nodiscard]] double text_width(std::string_view text, weight w = weight::normal);

}  // namespace demo
