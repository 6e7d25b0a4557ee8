#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds parameters of public functions that no comment describes, in Doxygen's XML.

    parameters.py FOLDER

Prints header:line for each. A comment of the function or of its class describes a parameter if it contains a word of
the parameter's name. A type or a concept that the library declares also describes a parameter.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

from header_filter import SAME


def comment_of(element):
    return "\n".join(found.text for found in element.iterfind("detaileddescription//verbatim"))


def public_functions(compound):
    """Yields (function, comment) for each public function of a class or namespace, in the order of their lines."""
    text = ""
    for member in sorted(compound.iter("memberdef"), key=lambda member: int(member.find("location").get("line"))):
        text = text if SAME in comment_of(member) else comment_of(member)
        place = member.find("location")
        is_own = place.get("bodyfile") in (None, place.get("file"))  # False for a name of a base that `using` repeats
        if member.get("kind") == "function" and member.get("prot") == "public" and is_own:
            yield member, text


def is_described(parameter, function, text, concepts):
    name, kind = parameter.findtext("declname"), parameter.find("type")
    meant = {(found.findtext("declname") or "").strip(".") for found in function.iterfind("templateparamlist/param")
             if found.find("type/ref") is not None or found.findtext("type") in concepts}
    if not name or kind.find("ref") is not None or meant & set(re.findall(r"\w+", "".join(kind.itertext()))):
        return True
    words = [word.rstrip("s") for word in name.split("_") if len(word) > 2]
    return any(word in text.lower() for word in words) or f"`{name}`" in text


def main():
    xml = pathlib.Path(sys.argv[1])
    concepts = {tree.parse(file).findtext("compounddef/compoundname") for file in xml.glob("concept*.xml")}
    concepts = {name.rpartition("::")[2] for name in concepts}
    found = set()
    for file in sorted(xml.glob("*.xml")):
        for compound in tree.parse(file).getroot().iter("compounddef"):
            is_public = compound.findtext("compoundname").startswith("turnstile") and compound.get("prot") != "private"
            if not is_public or compound.get("kind") not in ("class", "struct", "namespace"):
                continue
            for function, text in public_functions(compound):
                place = function.find("location")
                for parameter in function.iterfind("param"):
                    if not is_described(parameter, function, text + comment_of(compound), concepts):
                        found.add((place.get("file"), int(place.get("line")), function.findtext("name"),
                                   parameter.findtext("declname")))
    for header, line, name, parameter in sorted(found):
        print(f"include/{header}:{line}: {name}: no comment says what `{parameter}` is")


if __name__ == "__main__":
    main()
