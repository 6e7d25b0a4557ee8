# SPDX-License-Identifier: Apache-2.0
"""Functions and statements of a C++ source, as far as the places of mutants need them.

This is no parser of the language. It blanks comments and literals, matches brackets, and distinguishes statements by
their first word and their end. clang-format lays out the sources, and this reader relies on that for one rule: an
angle bracket without a blank before it opens template arguments.
"""

import bisect
import dataclasses
import re

OPENING = {"(": ")", "[": "]", "{": "}"}
HEADED = {"if", "for", "while", "switch", "catch"}
JUMPS = {"break", "continue", "goto"}
SEPARATOR = re.compile(r"(?<![a-zA-Z])[0-9][\w']*$")  # text before a quote inside a number, such as 1'000
NOT_A_TYPE = {"return", "co_return", "throw", "delete", "new", "else", "case", "default", "using"} | JUMPS


class NotUnderstood(Exception):
    """A source that this reader cannot parse; the text is for people."""


@dataclasses.dataclass
class Node:
    kind: str  # one of: function, block, return, declaration, simple, or the first word of another statement
    start: int
    end: int  # offset after the statement's last character
    name: str = ""  # a function's qualified name, without the project's namespace
    head: tuple = None  # range between the brackets of an if, for, while or switch
    body: tuple = None  # range inside a function's braces
    in_block: bool = True  # False: the statement is the sole statement of an if or a loop
    children: list = dataclasses.field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


def _literal_end(text, i):
    """Returns the offset after the literal that begins at offset i."""
    if text[i] == '"' and text[i - 1 : i] == "R":
        delimiter = text[i + 1 : text.index("(", i)]
        return text.index(f'){delimiter}"', i) + len(delimiter) + 2
    quote = text[i]
    i += 1
    while text[i] != quote:
        i += 2 if text[i] == "\\" else 1
    return i + 1


def blanked(text):
    """Returns two copies of the text, equally long: one without comments, the other also without literals and
    preprocessor lines.
    """
    plain, code = list(text), list(text)

    def blank(into, start, end, filler=" "):
        for k in range(start, end):
            if into[k] != "\n":
                into[k] = filler

    i = 0
    while i < len(text):
        if text.startswith("//", i):
            end = text.find("\n", i) % (len(text) + 1)
            blank(plain, i, end)
            blank(code, i, end)
        elif text.startswith("/*", i):
            end = text.index("*/", i) + 2
            blank(plain, i, end)
            blank(code, i, end)
        elif text[i] == "#" and not text[text.rfind("\n", 0, i) + 1 : i].strip():
            end = i
            while (end := text.find("\n", end) % (len(text) + 1)) < len(text) and text[end - 1] == "\\":
                end += 1
            blank(code, i, end)
        elif text[i] == '"' or (text[i] == "'" and not SEPARATOR.search(text, max(0, i - 20), i)):
            end = _literal_end(text, i)
            blank(code, i + 1, end - 1, "_")
        else:
            end = i + 1
        i = end
    code = "".join(code)
    # Masks the names of operators, because their characters would look like brackets and comparisons.
    code = re.sub(r"operator\s*(\(\)|\[\]|[^\w\s(]+)", lambda m: "operator" + "_" * (len(m[0]) - 8), code)
    return "".join(plain), code


class Source:
    """A source file's text and the functions in it."""

    def __init__(self, text):
        self.text = text
        self.plain, self.code = blanked(text)
        self.match = self._match()
        self.functions = []
        self._scope(0, len(self.code), ())

    # ---- brackets

    def _match(self):
        found, open_ones = {}, []
        for i, char in enumerate(self.code):
            if char in OPENING:
                open_ones.append(i)
            elif char in OPENING.values():
                if not open_ones or OPENING[self.code[open_ones[-1]]] != char:
                    raise NotUnderstood(f"line {self.line(i)}: '{char}' closes nothing")
                found[open_ones.pop()] = i
        if open_ones:
            raise NotUnderstood(f"line {self.line(open_ones[-1])}: '{self.code[open_ones[-1]]}' is not closed")
        return found

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def _template_end(self, i, end):
        """Returns the offset after the template arguments that open at offset i, or i + 1 if no template arguments open
        there.
        """
        if i == 0 or not (self.code[i - 1].isalnum() or self.code[i - 1] == "_"):
            return i + 1
        depth, k = 0, i
        while k < end:
            char = self.code[k]
            if char in OPENING:
                k = self.match[k]
            elif char == "<":
                depth += 1
            elif char == ">":
                depth -= 1
                if depth == 0:
                    return k + 1
            elif char in ";{}":
                break
            k += 1
        return i + 1

    def outer(self, start, end, braces=False):
        """Yields the offsets from start to end that are outside all brackets. An opening bracket counts as outside,
        a closing bracket as inside. With `braces`, the brackets < and > of templates do not count as brackets.
        """
        i = start
        while i < end:
            yield i
            char = self.code[i]
            if char in OPENING:
                i = self.match[i] + 1
            elif char == "<" and not braces:
                i = self._template_end(i, end)
            else:
                i += 1

    def trimmed(self, start, end):
        while start < end and self.code[start].isspace():
            start += 1
        while start < end and self.code[end - 1].isspace():
            end -= 1
        return start, end

    # ---- declarations

    def _scope(self, start, end, names):
        i = start
        while True:
            i, _ = self.trimmed(i, end)
            if i >= end:
                return
            label = re.compile(r"(public|private|protected)\s*:").match(self.code, i, end)
            i = label.end() if label else self._declared(i, end, names)

    def _declared(self, start, end, names):
        """Reads one declaration. Returns the offset of its end."""
        initializers = False
        parameters = None
        for i in self.outer(start, end):
            char = self.code[i]
            if char == ";":
                return i + 1
            if char == "(" and parameters is None:
                parameters = i
            if char == ":" and parameters and ":" not in (self.code[i - 1], self.code[i + 1]):
                initializers = True
            if char == "{":
                taken = self._braced(start, i, names, parameters, initializers)
                if taken:
                    return taken
        return end

    def _braced(self, start, brace, names, parameters, initializers):
        """Reads the part that the brace at this offset opens. Returns the offset of its end, or None if the brace only
        begins an initializer.
        """
        head = re.sub(r"^(template\s*<.*>\s*(?=class|struct|union))", "", self.code[start:brace], flags=re.S)
        close = self.match[brace]
        namespace = re.match(r"\s*(inline\s+)?namespace\b\s*([\w:]*)", head)
        if namespace:
            inner = tuple(name for name in namespace[2].split("::") if name)
            self._scope(brace + 1, close, names + inner)
            return close + 1
        if re.match(r"\s*extern\s*\"", head):
            self._scope(brace + 1, close, names)
            return close + 1
        kind = re.match(r"\s*(enum|class|struct|union)\b", head)
        if kind and parameters is None:
            if kind[1] != "enum":
                name = re.split(r"(?<!:):(?!:)", re.sub(r"\bfinal\b", "", head))[0].split()[-1]
                self._scope(brace + 1, close, names + (name.split("<")[0],))
            return None  # the initializer's semicolon follows
        before = self.code[start:brace].rstrip()
        if parameters is None or (initializers and re.search(r"[\w>]$", before)):
            return None
        if re.search(r"=\s*$", before) or "=" in self._outer_text(start, parameters):
            return None
        self._function(start, brace, close, names, parameters)
        return close + 1

    def _outer_text(self, start, end):
        return "".join(self.code[i] for i in self.outer(start, end))

    def _function(self, start, brace, close, names, parameters):
        named = re.search(r"([\w~]+(?:<[^()]*>)?(?:::[\w~]+(?:<[^()]*>)?)*)\s*$", self.code[start:parameters])
        own = tuple(re.sub(r"<.*?>", "", named[1]).split("::")) if named else ("",)
        whole = names + own
        name = "::".join(whole[1:] if whole[0] == "turnstile" else whole)
        name += "(" + " ".join(self.code[parameters + 1 : self.match[parameters]].split()) + ")"
        node = Node("function", start, close + 1, name=name, body=(brace + 1, close))
        node.children = self._block(brace + 1, close)
        self.functions.append(node)

    # ---- statements

    def _block(self, start, end):
        found = []
        while True:
            start, _ = self.trimmed(start, end)
            if start >= end:
                return found
            node = self._statement(start, end)
            found.append(node)
            start = node.end

    def _statement(self, start, end, in_block=True):
        label = re.compile(r"(case\b(?:[^:;{]|::)*:(?!:)|default\s*:|\w+\s*:(?!:))\s*").match(self.code, start, end)
        while label and label.end() < end:
            start = label.end()
            label = re.compile(r"(case\b(?:[^:;{]|::)*:(?!:)|default\s*:)\s*").match(self.code, start, end)
        word = re.compile(r"\w*").match(self.code, start)[0]
        if self.code[start] == "{":
            close = self.match[start]
            return Node("block", start, close + 1, in_block=in_block, children=self._block(start + 1, close))
        if word in HEADED:
            return self._headed(word, start, end, in_block)
        if word == "try":
            body = self._statement(self.trimmed(start + 3, end)[0], end)
            return Node("try", start, body.end, in_block=False, children=[body])
        if word == "do":
            body = self._statement(self.trimmed(start + 2, end)[0], end, False)
            return Node("do", start, self._semicolon(body.end, end), in_block=in_block, children=[body])
        stop = self._semicolon(start, end)
        node = Node(self._kind(word, start, stop), start, stop, in_block=in_block)
        node.children = self._lambdas(start, stop)
        return node

    def _headed(self, word, start, end, in_block):
        bracket = self.code.index("(", start)
        head = (bracket + 1, self.match[bracket])
        then = self._statement(self.trimmed(head[1] + 1, end)[0], end, False)
        node = Node(word, start, then.end, head=head, in_block=in_block)
        node.children = self._lambdas(*head) + [then]
        rest, _ = self.trimmed(then.end, end)
        if word == "if" and re.compile(r"else\b").match(self.code, rest, end):
            other = self._statement(self.trimmed(rest + 4, end)[0], end, False)
            node.children.append(other)
            node.end = other.end
        return node

    def _semicolon(self, start, end):
        for i in self.outer(start, end, braces=True):
            if self.code[i] == ";":
                return i + 1
        raise NotUnderstood(f"line {self.line(start)}: a statement without an end")

    def _kind(self, word, start, end):
        if word in ("return", "co_return"):
            return "return"
        if word in JUMPS:
            return word
        text = self.code[start:end]
        # Matches "type name = ...", "type name{...}" and "type name;": two words side by side, or a structured binding.
        declared = re.match(
            r"(static |constexpr |const )*[\w:]+(<.*?>)?(::\w+)*\s*(const\s*)?[*&]*\s*(const\s+)?"
            r"(\w+|\[[\w, ]+\])\s*(=[^=]|[{(;])",
            text,
            flags=re.S,
        )
        is_type = declared and word not in NOT_A_TYPE and re.match(r"[\w:<>, ]+[\s*&]+[\w\[]", text)
        return "declaration" if is_type else "simple"

    def _lambdas(self, start, end):
        """Returns the statements in inner braces. An initializer's braces do not count: they contain a semicolon only
        in further braces.
        """
        found = []
        i = start
        while i < end:
            if self.code[i] == "{":
                close = self.match[i]
                if any(self.code[k] == ";" for k in self.outer(i + 1, close, braces=True)):
                    found += self._block(i + 1, close)
                    i = close
            i += 1
        return found

    # ---- look-up of nodes

    def nodes(self):
        for function in self.functions:
            yield from function.walk()

    def operands(self, start, end):
        """Returns the operands of an expression's ||, or of its && if it has no ||; and the operator."""
        for sign in ("||", "&&"):
            cuts = [i for i in self.outer(start, end) if self.code.startswith(sign, i)]
            if cuts:
                edges = [start - 2, *cuts, end]
                return sign, [self.trimmed(a + 2, b) for a, b in zip(edges, edges[1:])]
        return "", [self.trimmed(start, end)]


@dataclasses.dataclass
class Place:
    name: str
    line: int
    node: Node


MARK = re.compile(r"//[^\n]*?\bplace: (\w+)[^\S\n]*$", re.M)


def places(source):
    """Returns the statements and functions that a comment in the source names as a place."""
    nodes = list(source.nodes())
    for mark in MARK.finditer(source.text):
        line_start = source.text.rfind("\n", 0, mark.start()) + 1
        line = source.line(mark.start())
        if source.code[line_start : mark.start()].strip():
            begun = [n for n in nodes if line_start <= n.start < mark.start()]
            if begun:
                node = min(begun, key=lambda n: (n.start, -n.end))
            else:
                around = [n for n in nodes if n.start < line_start < n.end]
                node = max(around, key=lambda n: (n.start, -n.end), default=None)
        else:
            node = min((n for n in nodes if n.start > mark.end()), key=lambda n: (n.start, -n.end), default=None)
        yield Place(mark[1], line, node)
