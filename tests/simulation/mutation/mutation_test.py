#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the reader of C++ sources and the operators of mutants."""

import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import catalogue  # noqa: E402
import cpp_source  # noqa: E402
import operators  # noqa: E402
import report  # noqa: E402
import schemata  # noqa: E402
import workshop  # noqa: E402


def function(body, head="void f(int a)"):
    return cpp_source.Source(f"{head} {{\n{body}\n}}\n")


def only_place(source):
    (found,) = cpp_source.places(source)
    return found


def fault(statement, **wanted):
    """Applies an operator to a statement, or to the condition or the initializer in it. Returns the result."""
    source = function(f"    // place: x\n    {statement}")
    return " ".join(operators.edit(source, only_place(source).node, wanted).fault.split())


class Reading(unittest.TestCase):
    def names(self, text):
        return [one.name for one in cpp_source.Source(text).functions]

    def test_names_of_functions(self):
        text = """
        namespace turnstile::core {
        struct a : public b { int x() const noexcept { return y_{1}; } int y_{2}; void only_declared(); };
        template <class T> class c final { T get(int) const { return {}; } };
        session::session(int a) : a_{a}, b_(a) {}
        auto operator<(const session& a, const session& b) -> bool { return true; }
        namespace { enum class e { one, two }; std::optional<int> lost() { return {}; } }
        }
        """
        self.assertEqual(
            self.names(text),
            [
                "core::a::x()",
                "core::c::get(int)",
                "core::session::session(int a)",
                "core::operator_(const session& a, const session& b)",
                "core::lost()",
            ],
        )

    def test_initializers_are_no_functions(self):
        self.assertEqual(self.names("std::function<void()> f{[] { g(); }}; const auto g = [](int) { h(); };"), [])

    def test_literals_and_comments_hide_brackets(self):
        self.assertEqual(self.names("// {\n/* ( */ void f() { g(\"}\", '}', U'{', R\"x({)x\", 1'000); }"), ["f()"])

    def test_an_unbalanced_source_is_refused(self):
        with self.assertRaises(cpp_source.NotUnderstood):
            cpp_source.Source("void f() { g(; }")

    def kinds(self, body):
        return [one.kind for one in function(body).functions[0].walk()][1:]

    def test_kinds_of_statements(self):
        self.assertEqual(self.kinds("const auto x = g(a);"), ["declaration"])
        self.assertEqual(self.kinds("const token t{static_cast<int>(a)};"), ["declaration"])
        self.assertEqual(self.kinds("const auto [a, b] = g();"), ["declaration"])
        self.assertEqual(self.kinds("x_ = g(a);"), ["simple"])
        self.assertEqual(self.kinds("a->b(c);"), ["simple"])
        self.assertEqual(self.kinds("return {a, b};"), ["return"])
        self.assertEqual(self.kinds("if (a) g(); else if (b) { h(); }"), ["if", "simple", "if", "block", "simple"])
        self.assertEqual(self.kinds("try { g(); } catch (...) { h(); }"), ["try", "block", "simple", "catch", "block", "simple"])
        self.assertEqual(self.kinds("switch (a) { case e::x: return; default: g(); }"), ["switch", "block", "return", "simple"])
        self.assertEqual(self.kinds("g([](int a) { return a; }, {1, 2});"), ["simple", "return"])


class Places(unittest.TestCase):
    def marked(self, body):
        source = function(body)
        node = only_place(source).node
        return source.text[node.start : node.end]

    def test_behind_a_statement(self):
        self.assertEqual(self.marked("g();\nh();  // place: x\ni();"), "h();")

    def test_ahead_of_a_statement(self):
        self.assertEqual(self.marked("g();\n// place: x\nh(1,\n  2);"), "h(1,\n  2);")

    def test_the_outermost_that_begins_on_the_line(self):
        self.assertEqual(self.marked("if (a) g();  // place: x"), "if (a) g();")

    def test_behind_a_head(self):
        self.assertEqual(self.marked("if (a) {  // place: x\ng();\n}"), "if (a) {  // place: x\ng();\n}")

    def test_behind_the_last_line(self):
        self.assertEqual(self.marked("return a ||\n  b;  // place: x"), "return a ||\n  b;")

    def test_behind_an_else_if(self):
        self.assertEqual(self.marked("if (a) {\ng();\n} else if (b) {  // place: x\nh();\n}"), "if (b) {  // place: x\nh();\n}")

    def test_of_a_case(self):
        self.assertEqual(self.marked("switch (a) {\ncase e::x: return g();  // place: x\n}"), "return g();")

    def test_of_a_function(self):
        source = cpp_source.Source("int f() { return 1; }  // place: x\n")
        self.assertEqual(only_place(source).node.kind, "function")


class Operators(unittest.TestCase):
    def test_conditions(self):
        self.assertEqual(fault("if (a) g();", condition="never"), "false")
        self.assertEqual(fault("if (const auto x = g(); x) h();", condition="always"), "true")
        self.assertEqual(fault("return a && b;", condition="always"), "return true;")
        self.assertEqual(fault("const bool c = a && b;", negate=True), "!(a && b)")

    def test_operands(self):
        self.assertEqual(fault("if (a && g(b || c) && d) h();", drop=2), "a && d")
        self.assertEqual(fault("if (a || f<b, c>() || d) h();", keep=[1, 3]), "a || d")
        self.assertEqual(fault("if (a || (b && c)) h();", operand=2, drop=1), "a || (c)")
        self.assertEqual(fault("if (a < b && c > d) h();", drop=1), "c > d")
        self.assertEqual(fault("return a || b;", operand=2, value="c"), "return a || c;")
        self.assertEqual(fault("if (a) h();", **{"and": "b"}), "((a) && (b))")
        self.assertEqual(fault("x = a && b ? c : d;", drop=1), "x = b ? c : d;")

    def test_comparisons(self):
        self.assertEqual(fault("if (a || b >= c) h();", operand=2, compare=">"), "a || b > c")
        self.assertEqual(fault("if (a->b == c.d()) h();", compare="!= 0"), "a->b != 0")
        self.assertEqual(fault("if (std::max<int>(a, b) < c) h();", compare="<="), "std::max<int>(a, b) <= c")

    def test_values(self):
        self.assertEqual(fault("x = true;", value="false"), "x = false;")
        self.assertEqual(fault("g(a, {b, c}, d);", argument=2, value="e"), "g(a, e, d);")
        self.assertEqual(fault("const auto x = g(h(a), b);", argument=2, add=1), "g(h(a), b + (1))")
        self.assertEqual(fault("g(a, b.c, d());", argument=2, same_as=3), "g(a, d(), d());")
        self.assertEqual(fault("x = {g(a), 1};", number=2), "x = {g(a), 2};")
        self.assertEqual(fault('x = g("a && b", c);', replace=["c)", "d)"]), 'x = g("a && b", d);')

    def test_statements(self):
        self.assertEqual(fault("g();", skip=True), ";")
        self.assertEqual(fault("return g();", returns="1"), "return 1;")
        self.assertEqual(fault("g();", only_if="a"), "if (a) { g(); }")

    def test_what_a_place_has_nothing_for(self):
        for statement, wanted in [
            ("const int x = 1;", {"skip": True}),
            ("if (a) g();", {"drop": 1}),
            ("if (a || b) g();", {"drop": 3}),
            ("if (a) g();", {"compare": "<"}),
            ("for (auto x : y) g();", {"condition": "never"}),
            ("g(1, 2);", {"number": 3}),
            ("g(a, a);", {"replace": ["a", "b"]}),
            ("g();", {"skip": True, "text": "h();"}),
            ("g();", {"unheard_of": True}),
        ]:
            with self.subTest(statement, **wanted), self.assertRaises(operators.Inapplicable):
                fault(statement, **wanted)


class Schemata(unittest.TestCase):
    def made(self, body, *numbered):
        source = function(body)
        nodes = {one.name: one.node for one in cpp_source.places(source)}
        edits = {operators.edit(source, nodes[place], wanted): {number} for number, place, wanted in numbered}
        return " ".join(schemata.with_faults(source, edits).split())

    def test_two_at_one_place_are_nested(self):
        made = self.made("    g();  // place: x", (1, "x", {"skip": True}), (3, "x", {"text": "h();"}))
        self.assertIn("on(3)) { h(); } else { { if (turnstile_mutants::on(1)) { ; } else { g();", made)

    def test_one_inside_another(self):
        made = self.made(
            "    if (a) {  // place: x\n        g();  // place: y\n    }",
            (1, "x", {"text": "h();"}),
            (3, "y", {"skip": True}),
            (5, "x", {"condition": "never"}),
        )
        self.assertIn("on(1)) { h(); } else { if ((turnstile_mutants::on(5) ? bool(false) : bool(a))) {", made)
        self.assertIn("on(3)) { ; } else { g();", made)

    def test_ahead_and_behind(self):
        made = self.made("    g();  // place: x", (1, "x", {"before": "h();"}), (3, "x", {"after": "i();"}))
        self.assertIn("if (turnstile_mutants::on(1)) { h(); } g(); if (turnstile_mutants::on(3)) { i(); }", made)

    def test_overlapping_places_of_one_mutant_are_seen(self):
        source = function("    if (a) {  // place: x\n        g();  // place: y\n    }")
        edits = [operators.edit(source, one.node, {"text": "h();"}) for one in cpp_source.places(source)]
        self.assertIsNotNone(schemata.overlapping(edits))


class Catalogue(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "src").mkdir()

    def check(self, text, *changes, documented=("m1",)):
        (self.root / "src" / "a.cpp").write_text(text, encoding="utf-8")
        mutants = [
            catalogue.Mutant(f"m{i}", 2 * i - 1, "F1", "Wrong.", [change]) for i, change in enumerate(changes, 1)
        ]
        return catalogue.check(catalogue.Tree(self.root), mutants, set(documented))

    def test_a_place_or_a_function(self):
        text = "namespace turnstile { void f() { g(); }\nvoid h() { i(); }  // place: x\n}"
        self.assertEqual(self.check(text, {"place": "x", "skip": True}), [])
        problems = self.check("namespace turnstile::a { void f() { g(); } }", {"place": "a::f", "skip": True})
        self.assertEqual(problems, [])

    def test_what_is_wrong(self):
        one = "void f() {\n    g();  // place: x\n}\n"
        skip = {"place": "x", "skip": True}
        self.assertIn("m1: there are 0 places y, not one", self.check(one, {"place": "y", "skip": True}))
        self.assertIn("m1: there are 2 places x, not one: src/a.cpp:2, src/a.cpp:5", self.check(one + one, skip))
        self.assertIn("m1: x: there is no && or || in it", self.check(one, {"place": "x", "drop": 1}))
        self.assertIn("src/a.cpp:2: no mutant is at the place x", self.check(one, {"place": "a::b", "skip": True}))
        self.assertIn("m2: docs/reference/mutants.md is out of date; run scripts/mutants", self.check(one, skip, documented=["m1", "m2"]))

    def test_what_another_mutant_does_there(self):
        skip = {"place": "x", "skip": True}
        model = catalogue.Mutant("model", 1, "F1", "Wrong.", [skip])
        of = lambda change: catalogue.spelled_out(change, {"model": model}, "m1")
        self.assertEqual(of(skip), skip)
        self.assertEqual(of({"place": "x", "like": "model"}), skip)
        for change in ({"place": "y", "like": "model"}, {"place": "x", "like": "m2"}, {"place": "x", "like": "model", "skip": True}):
            with self.assertRaises(catalogue.Mistake):
                of(change)

    def test_the_page_names_the_seed_of_each_mutant(self):
        none = workshop.Verdict()
        shown = [
            ("m1", "F1, lease.md (b)", "locks", workshop.Verdict(seed=20, invariant="G4"), none),
            ("m2", "F2", "locks on redis", workshop.Verdict(seed=3, invariant="G1"), none),
            ("m3", "E2", "elections", workshop.Verdict(seed=5, invariant="E4"), none),
            ("m4", "lease.md", "locks", workshop.Verdict(seed=6, invariant="G1", hunted=True), none),
            ("m5", "Z", "locks", workshop.Verdict(seed=7, invariant="Z1"), none),
            ("m6", "F3", "commits", none, workshop.Verdict(seed=8, invariant="G2")),
            ("m7", "F4", "locks", none, none),
        ]
        results = []
        for number, (name, rows, work, alone, unmasked) in enumerate(shown):
            mutant = catalogue.Mutant(name, number, rows, "Wrong.", [], work=work)
            mutant.equivalent = "It is right." if name == "m7" else ""
            results.append(types.SimpleNamespace(mutant=mutant, alone=alone, unmasked=unmasked, as_expected=True))
        page = report.render(results, 1000)
        self.assertIn("### E: elections\n\n    m3: 5 (elections), E4\n", page)
        self.assertIn("### Others\n\n    m5", page)
        self.assertLessEqual(max(len(line) for line in page.splitlines() if not line.startswith("|")), 120)
        known = {name: seed and (seed.seed, seed.work, seed.defence_off) for name, seed in report.parse(page).items()}
        self.assertEqual(known, {
            "m1": (20, "locks", False), "m2": (3, "locks on redis", False), "m3": (5, "elections", False),
            "m4": (6, "hunt", False), "m5": (7, "locks", False), "m6": (8, "commits", True), "m7": None})

    def test_errors_of_the_compiler_name_mutants(self):
        mutant = catalogue.Mutant("m1", 5, "F1", "Wrong.", [])
        texts = {"src/a.cpp": "\n if (turnstile_mutants::on(5)) {\n wrong(); }\n"}
        output = "/t/src/a.cpp:3:2: error: 'wrong' was not declared"
        self.assertEqual(workshop.suspects(output, pathlib.Path("/t"), texts, [mutant]), ["m1"])


if __name__ == "__main__":
    unittest.main()
