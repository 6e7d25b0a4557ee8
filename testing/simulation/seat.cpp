// SPDX-License-Identifier: Apache-2.0
#include "simulation/seat.hpp"

#include <utility>
#include <variant>

namespace turnstile::simulation {

namespace course = detail::course;

seat::seat(script& by, testing::simulated_client self, core::acquire&& request,
           testing::simulated_election&& election)
    : script_{by},
      self_{self},
      request_{std::move(request)},
      election_{std::move(election)},
      value_{election_.once} {}

std::optional<std::uint64_t> seat::term() const {
    const auto now = value_.running();
    if (!now || !value_.is<course::leading>(*now)) return std::nullopt;
    return stays_.at(*now).call;
}

void seat::on(const course::input& event) {
    for (const auto& step : value_.on(event))
        std::visit([this](const auto& each) { perform(each); }, step);
}

void seat::perform(const course::enter_queue& step) {
    testing::simulated_call call;
    call.on_granted = [this, of = step.of](fencing_token token) {
        // The hold may be lost before this function reports the grant. The participant then gets no grant.
        if (!script_.holds(stays_.at(of).call))
            return on(course::turn_refused{of, errc::session_lost});
        stays_.at(of).token = token;
        on(course::turn_granted{of});
    };
    call.on_failed = [this, of = step.of](const error& why) { on(course::turn_refused{of, why}); };
    call.on_lost = [this, of = step.of](const error&) { on(course::turn_lost{of}); };
    stays_[step.of].call = script_.acquire(core::acquire{request_}, std::move(call));
}

void seat::perform(const course::call_function& step) {
    script_.call_after({}, [this, of = step.of] { begin(of); });
}

void seat::begin(turn of) {
    on(course::begun{of});
    if (!value_.is<course::deciding>(of)) return;
    on(course::decided{of, true});
    const auto& own = stays_.at(of);
    if (election_.on_lead) election_.on_lead({self_, own.call}, own.token);
}

void seat::perform(const course::stop& step) {
    script_.call_after({}, [this, of = step.of] {
        if (election_.on_stop) election_.on_stop();
        on(course::returned{of});
    });
}

void seat::perform(const course::pause& step) {
    script_.call_after(election_.pause, [this, of = step.of] { on(course::rested{of}); });
}

void seat::let_go(turn of) {
    script_.release(stays_.at(of).call);
}

}  // namespace turnstile::simulation
