# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs for this site: they take the pages from their places in the repository, the navigation from
docs/README.md, and the API reference from Doxygen."""
import html
import logging
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "site"))
import drawing  # noqa: E402
import reference  # noqa: E402

INDEX, API = "docs/README.md", "include/turnstile"
BESIDE = ["src/admin/page/icon.svg", "README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md",
          "CHANGELOG.md", "bench/README.md", "docker/README.md", "packaging/README.md", "testing/README.md",
          "tests/simulation/mutants/README.md"]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\S*) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
symbols, enumerators = {}, {}  # each symbol's place on the site; the enumerators of each page, by its path
log = logging.getLogger("mkdocs.hooks")


def slug(text, separator):
    """Returns the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", html.unescape(text).lower()).replace(" ", separator)


def on_config(config):
    config["mdx_configs"]["toc"]["slugify"] = slug
    made = reference.pages(ROOT)
    for page in made:
        file = pathlib.Path(config["docs_dir"], page.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.text, encoding="utf-8")
        symbols.update({name: (page.path, anchor) for name, anchor in page.anchors.items()})
        enumerators[page.path] = page.enumerators
    config["nav"] = navigation(made)
    return config


def navigation(made):
    """Returns the sections, groups and links of docs/README.md. The link to the headers becomes the API reference."""
    text = (ROOT / INDEX).read_text(encoding="utf-8")
    sections = [{"Home": ["README.md", INDEX]}]
    for line in text.split("\n"):
        if line.startswith("## "):
            title = line[3:].partition(":")[0]
            sections.append({title[0].upper() + title[1:]: []})
            pages = next(iter(sections[-1].values()))
        elif len(sections) == 1 or line.startswith("|"):
            for _, target in LINK.findall(line):
                path = posixpath.normpath(posixpath.join("docs", target))
                if path == API:
                    next(iter(sections[-1].values())).extend(api_navigation(made))
                else:
                    (sections[0]["Home"] if len(sections) == 1 else pages).append(path)
        elif line.endswith(":"):
            pages = []
            next(iter(sections[-1].values())).append({line[:-1]: pages})
    return sections


def api_navigation(made):
    groups = {}
    for page in made[1:]:
        groups.setdefault(page.group, []).append(page.path)
    return [made[0].path, *({title: pages} for title, pages in groups.items())]


def on_files(files, config):
    paths = [*BESIDE, *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.*")))]
    own = {"style.css": str(ROOT / "site")}
    for path in paths:
        own[path] = str(ROOT)
    for path in sorted(ROOT.glob("examples/*.cpp")):
        page = pathlib.Path(config["docs_dir"], f"examples/{path.name}.md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# {path.name}\n\n```cpp\n{path.read_text(encoding='utf-8')}```\n", encoding="utf-8")
        own[f"examples/{path.name}.md"] = config["docs_dir"]
    for path in sorted(pathlib.Path(config["docs_dir"], "api").rglob("*.md")):
        own[str(path.relative_to(config["docs_dir"]))] = config["docs_dir"]
    kept = [file for file in files if not file.src_path.endswith(".md")]
    made = [File(path, folder, config["site_dir"], config["use_directory_urls"]) for path, folder in own.items()]
    return Files([*kept, *made])


def on_nav(nav, config, files):
    listed = {page.file.src_path for page in nav.pages}
    for path in sorted(file.src_path for file in files.documentation_pages()):
        if path.startswith("docs/") and path not in listed:
            log.warning("%s is not listed in %s", path, INDEX)
    return nav


def on_page_markdown(markdown, page, config, files):
    path, parts, end = page.file.src_path, [], 0
    is_guide = re.match("docs/(start|how-to|coming-from)/", path)
    page.meta["search"] = {"boost": 3 if is_guide else 1}
    for fence in FENCE.finditer(markdown):
        parts.append(prose(markdown[end:fence.start()], path, files))
        language, file, code = fence.groups()
        is_drawing = not language and drawing.is_drawing(code)
        head = f'```{language} title="{file}"' if file else "```" + language
        parts.append(drawing.svg_of_characters(code) if is_drawing else f"{head}\n{code}```")
        end = fence.end()
    return "".join([*parts, prose(markdown[end:], path, files)])


def prose(text, path, files):
    """Returns text outside of code blocks in the form that Python's Markdown and this site need."""
    text = re.sub(r"^(?!( *[-*] | *\d+\. |\s*$|\|))(.*)\n(?=(- |\* |1\. ))", r"\g<0>\n", text, flags=re.MULTILINE)
    text = "\n".join(indented(text.split("\n")))
    text = re.sub(r"^(?!\||\s*$)(.*)\n(?=\|)", r"\g<0>\n", text, flags=re.MULTILINE)
    text = re.sub(r"^<!-- states: (\S+) -->$", lambda found: states(found.group(1)), text, flags=re.MULTILINE)
    if path.startswith("api/"):
        text = re.sub(r"(?<![\w/`\[])(?<!\]\()(docs/[\w/-]+\.md|(turnstile/)?(testing/|tools/)?\w+\.hpp)(?![\w`\]])",
                      lambda found: link_to_file(found, path, files), text)
    return LINK.sub(lambda found: link(found, path, files), text)


def indented(lines):
    """Yields the lines, with the text of each list item indented by four places. GitHub also accepts two or three."""
    items = []  # for each list around a line: the indentation of its text in the page, and on the site
    for line in lines:
        text = line.lstrip()
        indentation = len(line) - len(text)
        while text and items and indentation < items[-1][0]:
            items.pop()
        before, after = items[-1] if items else (0, 0)
        yield " " * (after + indentation - before) + text if text else ""
        marker = re.match(r"([-*]|\d+\.) +", text)
        if marker and indentation - before < 4:
            items.append((indentation + marker.end(), after + 4))


def states(header):
    """Returns the drawing of the state table in a header, and the table."""
    heads, rows = drawing.table((ROOT / header).read_text(encoding="utf-8"))
    if not drawing.transitions(heads, rows):
        log.warning("%s has no table of states", header)
    lines = [heads, ["---"] * len(heads), *rows]
    table = ("| " + " | ".join(row) + " |" for row in lines)
    return "\n".join([drawing.svg_of_states(heads, rows), "", *table, ""])


def link_to_file(found, path, files):
    """Returns the link to a page or header that a comment of a header names."""
    named = found.group()
    header = "api/" + named.removeprefix("turnstile/") + ".md"
    target = named if named.endswith(".md") else header
    if not files.get_file_from_path(target) or target == path:
        return named
    return f"[{named}]({posixpath.relpath(target, posixpath.dirname(path))})"


def link(found, path, files):
    """Returns the link, changed to the site's page of an example or header. Other files get plain text, no link."""
    text, target = found.groups()
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return found.group()
    file, _, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    for candidate in (file, file + ".md", "api/README.md" if file == API else ""):
        if files.get_file_from_path(candidate):
            relative = posixpath.relpath(candidate, posixpath.dirname(path) or ".")
            return f"[{text}]({relative}{'#' + anchor if anchor else ''})"
    if not (ROOT / file).exists():
        log.warning("%s: a link to %s, which does not exist", path, target)
    return text


def on_page_content(content, page, config, files):
    """Makes a link of each name in code that is an example, a header, or a symbol of the API. On pages outside of the
    API only qualified names become links, because `mutex` may belong to another library there."""
    is_api = page.file.src_path.startswith("api/")

    def linked(found):
        name = re.sub(r"\(.*\)$", "", html.unescape(found.group(1))).removeprefix("turnstile::")
        is_meant = "::" in found.group(1) or is_api and name not in enumerators.get(page.file.src_path, ())
        path, anchor = symbols.get(name, ("", "")) if is_meant else ("", "")
        file = files.get_file_from_path(path or re.sub(r"^(include/)?turnstile/", "api/", name) + ".md")
        if not file or file == page.file or not path and "/" not in name:
            return found.group()
        url = file.url_relative_to(page.file) + (anchor and "#" + anchor)
        return f'<a href="{url}">{found.group()}</a>'

    pieces = re.split(r"(<pre.*?</pre>|<a .*?</a>|<h\d.*?</h\d>|<svg.*?</svg>)", content, flags=re.DOTALL)
    for number, piece in enumerate(pieces):
        if is_api and piece.startswith("<pre"):
            pieces[number] = re.sub(r'<span class="nc?">(\w+)</span>(?!<span class="p">\()', linked, piece)
        elif number % 2 == 0:
            pieces[number] = re.sub(r"<code>([^<]+)</code>", linked, piece)
    return "".join(pieces)
