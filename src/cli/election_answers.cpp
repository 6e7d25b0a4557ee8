// SPDX-License-Identifier: Apache-2.0
#include "cli/election_answers.hpp"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "admin/reading/lock_json.hpp"
#include "turnstile/metric_family.hpp"

namespace turnstile::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr int k_unavailable = 503;
constexpr const char* k_json = "application/json";
constexpr const char* k_text = "text/plain; charset=utf-8";

std::string line_of(const json& body) {
    return admin::printed(body) + '\n';
}

http_answer as_json(int status, const json& body) {
    return {status, k_json, line_of(body)};
}

json leader_json(const std::string& path, const participant* leader) {
    if (leader == nullptr) return {{"path", path}, {"leader", nullptr}};
    return {{"path", path},
            {"leader", leader->id},
            {"znode", leader->znode},
            {"token", leader->token.to_string()},
            {"data", leader->data}};
}

}  // namespace

std::string leader_line(const std::string& path, const std::optional<participant>& leader) {
    return line_of(leader_json(path, leader ? &*leader : nullptr));
}

http_answer leader_answer(const election_view& view) {
    if (!view.queue)
        return as_json(k_unavailable, {{"error", view.why_no_queue}, {"path", view.path}});
    auto body = leader_json(view.path, view.queue->empty() ? nullptr : &view.queue->front());
    body["participants"] = view.queue->size();
    body["age_ms"] = view.queue_age.count();
    return as_json(200, body);
}

http_answer is_leader_answer(const election_view& view) {
    return view.leads ? http_answer{200, k_text, "yes\n"}
                      : http_answer{k_unavailable, k_text, "no\n"};
}

http_answer health_answer(const election_view& view) {
    if (view.leads) return {200, k_text, "leads\n"};
    if (!view.queue) return {k_unavailable, k_text, view.why_no_queue + "\n"};
    if (view.queued) return {200, k_text, "waits to lead\n"};
    return {k_unavailable, k_text,
            "takes no part in the election: does not lead, and does not wait in the queue\n"};
}

http_answer metrics_answer(const election_view& view) {
    std::vector<metric_family> all;
    const auto add = [&](std::string name, metric_kind kind, std::string help, auto value) {
        all.push_back({std::move(name),
                       kind,
                       std::move(help),
                       {{{{"path", view.path}, {"id", view.id}}, static_cast<double>(value)}}});
    };
    const auto gauge = metric_kind::gauge;
    const auto counter = metric_kind::counter;
    add("turnstile_leads", gauge, "1 while this participant leads.", view.leads ? 1 : 0);
    add("turnstile_queued", gauge, "1 while this participant is in the queue at the servers.",
        view.queued ? 1 : 0);
    add("turnstile_servers_answer", gauge, "1 while the servers answer requests for the queue.",
        view.queue ? 1 : 0);
    add("turnstile_participants", gauge, "Participants in the queue.",
        view.queue ? view.queue->size() : 0);
    add("turnstile_terms_total", counter, "Terms that this participant has begun.", view.terms);
    add("turnstile_entered_total", counter,
        "Number of times that this participant has entered the queue.", view.counters.entered);
    add("turnstile_waited_total", counter,
        "Number of entries into the queue at which other participants were ahead.",
        view.counters.waited);
    add("turnstile_lost_total", counter, "Number of times that this participant has lost the lead.",
        view.counters.lost);
    add("turnstile_guarded", gauge,
        "1 while a guardian would remove this participant at once after a crash.",
        view.counters.guardian == guardian_state::guarded ? 1 : 0);
    return {200, std::string{k_prometheus_content_type}, prometheus_text(all)};
}

}  // namespace turnstile::cli
