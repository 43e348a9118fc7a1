#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates src/shapes/<service>/*.h and tables.cc from botocore's service model and from
src/shapes/<service>/nouns.json, which assigns operations and shapes to headers:

  model        "sqs/2012-11-05": the model's folder below botocore's data folder
  query_model  the same, below the data folder of an older botocore whose models still have the names
               of the query protocol
  http         true: also generate the operations' HTTP bindings (restXml)
  uris         {"Operation": "/{Bucket}?x"}: URIs that are ambiguous in the model
  marks        {"Operation": "x-amz-..."}: the header that distinguishes an operation from another with its URI
  headers      {"queue": ["CreateQueue", ...], ...}: operations, or single shapes, in order; a shape that
               is not listed goes into the first header that needs it
  xml          {"Shape.member": "Name"}: names in query and XML that no model has; "Shape": the root's name
  unwrapped    ["Shape", ...]: outputs whose only member is the text of the root
  omit         {"Shape": ["member", ...]}: members to leave out; a request may have them, and they are ignored
  errors       {"Shape": ["QueryCode", status]}: codes and statuses that no model has
  shapes       {"Shape": {...}}: shapes that the model does not have yet, in the model's form
  members      {"Shape": {"member": {"shape": ...}}}: members that the model does not have yet
  optional     {"Shape": ["member", ...]}: members that the model calls required and Amazon no longer requires, or
               leaves out of a response where they are empty

Each generated file names the versions of botocore that it was generated from. Other versions are rejected, because
an older one lacks shapes and would silently delete them.
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEBIAN_PYTHON = "/usr/bin/python3"  # Debian 12's botocore still speaks query to SQS
MAX_DESCRIBED = 52  # members in one BOOST_DESCRIBE_STRUCT
SCALARS = {"string": "std::string", "character": "std::string", "boolean": "bool", "integer": "std::int32_t",
           "long": "std::int64_t", "float": "float", "double": "double", "timestamp": "base::Time", "blob": "base::Blob"}
KEYWORDS = {"namespace", "default", "operator", "register", "public", "private", "protected", "export", "delete", "new",
            "template", "static", "class", "struct", "union", "enum", "switch", "case", "for", "if", "else", "do",
            "while", "return", "this", "true", "false", "void", "int", "long", "short", "float", "double", "char",
            "bool", "auto", "const", "volatile", "explicit", "virtual", "friend", "inline", "using", "try", "catch"}
TIME_FORMATS = {"iso8601": "Iso8601", "rfc822": "Rfc822", "unixTimestamp": "Unix"}
LOCATIONS = {"header": "Header", "headers": "Headers", "uri": "Label", "querystring": "Query",
             "statusCode": "StatusCode"}


def load(path):
    path = pathlib.Path(path)
    if path.with_suffix(".json.gz").exists():
        return json.loads(gzip.decompress(path.with_suffix(".json.gz").read_bytes()))
    return json.loads(path.with_suffix(".json").read_text())


def data_folder_of(python):
    """The data folder of the botocore that an interpreter imports."""
    program = "import botocore, os; print(os.path.join(os.path.dirname(botocore.__file__), 'data'))"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{python} has no botocore")
    return pathlib.Path(done.stdout.strip())


def version_of(data):
    """The version of the botocore that a data folder belongs to."""
    return re.search(r"^__version__ = '([^']+)'", (data.parent / "__init__.py").read_text(), re.M)[1]


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def cpp_name(name):
    return name + "_" if name in KEYWORDS else name


class Service:
    def __init__(self, name, models, query_models):
        self.name = name
        self.folder = ROOT / "src/shapes" / name
        self.map = json.loads((self.folder / "nouns.json").read_text())
        self.model = load(models / self.map["model"] / "service-2.json")
        self.shapes = self.model["shapes"]
        self.origin = f"botocore {version_of(models)}"
        self.add_newer_shapes()
        self.protocols = set(self.model["metadata"].get("protocols", [self.model["metadata"]["protocol"]]))
        self.older = {}
        if "query_model" in self.map:
            self.older = load(query_models / self.map["query_model"] / "service-2.json")["shapes"]
            self.protocols.add("query")
            self.origin += f", names of the query protocol: {version_of(query_models)}"
        self.has_xml = bool(self.protocols & {"query", "ec2", "rest-xml"})
        self.home = {}       # struct or constant -> noun
        self.lines = {}      # noun -> its parts, in order
        self.includes = {}   # noun -> other nouns

    def check_version(self):
        """The generated files must come from the same versions."""
        tables = self.folder / "tables.cc"
        recorded = re.search(r"model \((botocore .*)\)\.$", tables.read_text(), re.M) if tables.exists() else None
        if recorded and recorded[1] != self.origin:
            sys.exit(f"{self.name} was generated from {recorded[1]}; this is {self.origin}. Use that version (--models, "
                     "--query-models), or --accept-version and check that no shape is lost.")

    def add_newer_shapes(self):
        self.shapes.update(self.map.get("shapes", {}))
        for name, members in self.map.get("members", {}).items():
            self.shapes[name]["members"].update(members)
        for name, members in self.map.get("optional", {}).items():
            self.shapes[name]["required"] = [m for m in self.shapes[name]["required"] if m not in members]

    # The properties of a value that its C++ type does not express.
    def value_traits(self, reference, noun):
        shape = self.shapes[reference["shape"]]
        older = self.older.get(reference["shape"], {})
        kind = shape["type"]
        traits = {}
        if self.has_xml:
            if reference.get("flattened") or shape.get("flattened"):
                traits["flattened"] = "true"
            if kind == "list":
                item = older.get("member", shape["member"]).get("locationName", "")
                # The elements of a flattened list have the name of the list.
                if item not in ("", "member") and "flattened" not in traits:
                    traits["item"] = quoted(item)
            if kind == "map":
                for part in ("key", "value"):
                    name = older.get(part, shape[part]).get("locationName", part)
                    if name != part:
                        traits[part] = quoted(name)
        form = reference.get("timestampFormat", shape.get("timestampFormat"))
        if form and kind == "timestamp":
            traits["time"] = f"wire::TimeFormat::{TIME_FORMATS[form]}"
        if "enum" in shape:
            traits["one_of"] = self.constant(reference["shape"], noun, values=True)
        for bound in ("min", "max"):
            if float(shape.get(bound, 0.5)).is_integer() and abs(shape[bound]) < 2 ** 63 and not \
                    (bound == "min" and shape[bound] == 0 and kind not in ("integer", "long", "float", "double")):
                traits[bound] = str(int(shape[bound]))
        if shape.get("sensitive"):
            traits["secret"] = "true"
        element = {"list": "member", "map": "value"}.get(kind)
        if element:
            of = self.constant(shape[element]["shape"], noun)
            if of:
                traits["of"] = "&" + of
        if kind == "map":
            keys = self.constant(shape["key"]["shape"], noun)
            if keys:
                traits["keys"] = "&" + keys
        return traits

    def constant(self, name, noun, values=False):
        """The constant with an element's traits or an enumeration's values; "" if it has none."""
        constant = f"k{name[0].upper()}{name[1:]}" + ("Values" if values else "")
        if constant in self.home:
            self.include(noun, self.home[constant])
            return constant
        if values:
            text = ", ".join(quoted(v) for v in self.shapes[name]["enum"])
            code = f"inline constexpr std::string_view {constant}[] = {{{text}}};"
        else:
            if self.shapes[name]["type"] == "structure":
                return ""
            traits = self.value_traits({"shape": name}, noun)
            if not traits:
                return ""
            code = f"inline constexpr wire::Member {constant}{{{joined(traits)}}};"
        self.home[constant] = noun
        self.lines[noun].append(("constant", wrap(code)))
        return constant

    def include(self, noun, other):
        if noun != other:
            self.includes[noun].add(other)

    # C++ types
    def type_of(self, reference, noun, inside):
        name = reference["shape"]
        shape = self.shapes[name]
        if shape["type"] == "list":
            return f"std::vector<{self.type_of(shape['member'], noun, inside + [None])}>"
        if shape["type"] == "map":
            return f"std::map<std::string, {self.type_of(shape['value'], noun, inside + [None])}>"
        if shape["type"] == "structure":
            if name in inside:  # a recursive type: in a list or map it may be incomplete
                return name if None in inside[inside.index(name):] else f"wire::Boxed<{name}>"
            self.structure(name, noun, inside)
            return name
        return SCALARS[shape["type"]]

    def structure(self, name, noun, inside=()):
        if name in self.home:
            self.include(noun, self.home[name])
            return
        self.home[name] = noun
        shape = self.shapes[name]
        if shape.get("document"):
            sys.exit(f"{name} is a free-form document: omit its members")
        older = self.older.get(name, {})
        required = set(shape.get("required", []))
        omitted = self.map.get("omit", {}).get(name, [])
        references = {m: r for m, r in shape.get("members", {}).items() if m not in omitted}
        members, traits = [], []
        types = {m: self.type_of(r, noun, list(inside) + [name]) for m, r in references.items()}
        for member, reference in references.items():
            kind = types[member]
            if cpp_name(member) in self.shapes:  # the name of a type too: say which is meant
                for word in set(self.structs_in(reference)):
                    kind = qualify(kind, word, self.name)
            plain = member in required and "Boxed" not in kind
            members.append((kind if plain else f"std::optional<{kind}>", cpp_name(member)))
            old_reference = older.get("members", {}).get(member, reference)
            stated = self.member_traits(name, member, reference, old_reference, plain, noun)
            if stated:
                traits.append({"member": quoted(cpp_name(member)), **stated})
        if len(members) > MAX_DESCRIBED:
            sys.exit(f"{name} has {len(members)} members; Boost.Describe takes {MAX_DESCRIBED}: omit some")
        self.lines[noun].append(("struct", name, members))
        structure = self.structure_traits(name, shape)
        if traits or structure:
            self.lines[noun].append(("traits", name, structure, traits))

    def structs_in(self, reference):
        shape = self.shapes[reference["shape"]]
        if shape["type"] == "structure":
            yield reference["shape"]
        elif shape["type"] in ("list", "map"):
            yield from self.structs_in(shape["member" if shape["type"] == "list" else "value"])

    def structure_traits(self, name, shape):
        traits = {}
        xml = self.map.get("xml", {}).get(name, shape.get("locationName", "") if self.has_xml else "")
        if xml:
            traits["xml"] = quoted(xml)
        if "xmlNamespace" in shape:
            traits.update(namespace_traits(shape["xmlNamespace"]))
        if "payload" in shape:
            traits["payload"] = quoted(shape["payload"])
        if name in self.map.get("unwrapped", []):
            traits["unwrapped"] = "true"
        return traits

    def member_traits(self, name, member, reference, older, required, noun):
        shape = self.shapes[reference["shape"]]
        traits = {}
        if required:
            traits["required"] = "true"
        if cpp_name(member) != member:
            traits["name"] = quoted(member)
        location = reference.get("location")
        if location:
            traits["in"] = f"wire::In::{LOCATIONS[location]}"
            traits["at"] = quoted(reference.get("locationName", member))
        elif self.has_xml:
            xml = self.xml_name(name, member, reference, older)
            # A payload is a separate document, which takes the name of its shape if it has none itself.
            is_root = self.shapes[name].get("payload") == member and shape["type"] == "structure"
            if xml and (xml != member or is_root):
                traits["xml"] = quoted(xml)
            if "queryName" in reference:
                traits["ec2"] = quoted(reference["queryName"])
            if reference.get("xmlAttribute"):
                traits["attribute"] = "true"
            space = reference.get("xmlNamespace", shape.get("xmlNamespace") if shape["type"] == "structure" else None)
            if space:
                traits.update(namespace_traits(space))
        traits.update(self.value_traits(reference, noun))
        return traits

    def xml_name(self, name, member, reference, older):
        override = self.map.get("xml", {}).get(f"{name}.{member}")
        if override:
            return override
        shape = self.older.get(reference["shape"], self.shapes[reference["shape"]])
        name = older.get("locationName", shape.get("locationName", "") if shape["type"] != "structure" else "")
        # In the query protocol a flattened list without a name takes the name of its elements.
        flattened = reference.get("flattened") or shape.get("flattened")
        if not name and shape["type"] == "list" and flattened and "rest-xml" not in self.protocols:
            name = shape["member"].get("locationName", "")
        return name

    def noun(self, noun, names):
        self.lines[noun], self.includes[noun] = [], set()
        for name in names:
            if name not in self.model["operations"]:
                self.structure(name, noun)
                continue
            operation = self.model["operations"][name]
            for side in ("input", "output"):
                if side in operation:
                    self.structure(operation[side]["shape"], noun)
            if self.map.get("http"):
                http = operation["http"]
                uri = self.map.get("uris", {}).get(name, http["requestUri"])
                mark = self.map.get("marks", {}).get(name, "")
                code = (f"inline constexpr wire::HttpBinding k{name}Http{{{quoted(http['method'])}, "
                        f"{quoted(uri)}, {http.get('responseCode', 200)}{', ' + quoted(mark) if mark else ''}}};")
                self.lines[noun].append(("constant", wrap(code)))

    def write(self):
        named = {n: noun for noun, names in self.map["headers"].items() for n in names if n in self.shapes}
        for noun in self.map["headers"]:
            self.lines[noun], self.includes[noun] = [], set()
        for name, noun in named.items():
            if name not in self.home and name not in self.model["operations"]:
                self.structure(name, noun)
        for noun, names in self.map["headers"].items():
            parts, self.lines[noun] = self.lines[noun], []
            saved = self.includes[noun]
            self.noun(noun, [n for n in names if n in self.model["operations"]])
            self.lines[noun] = parts + self.lines[noun]
            self.includes[noun] |= saved
        for noun in self.map["headers"]:
            (self.folder / f"{noun}.h").write_text(self.header(noun))
        (self.folder / "errors.h").write_text(self.errors())
        (self.folder / "tables.cc").write_text(self.tables())

    def comment(self):
        return f"// Generated by tools/shapes.py from Amazon's service model ({self.origin})."

    def header(self, noun):
        parts = self.lines[noun]
        body, after = [], []
        for part in parts:
            if part[0] == "constant":
                body += [part[1], ""]
            elif part[0] == "struct":
                body += self.struct_code(part[1], part[2]) + [""]
            else:
                after += self.traits_code(*part[1:]) + [""]
        text = "\n".join(body + after)
        structs = [part[1] for part in parts if part[0] == "struct"]
        standard = {"std::int": "cstdint", "std::map": "map", "std::optional": "optional", "std::string ": "string",
                    "std::string>": "string", "std::string_view": "string_view", "std::vector": "vector"}
        system = sorted({header for word, header in standard.items() if word in text})
        ours = {"base/bytes.h"} if "base::Blob" in text else set()
        ours |= {"base/time.h"} if "base::Time" in text else set()
        ours |= {"wire/boxed.h"} if "wire::Boxed" in text else set()
        ours |= {"wire/operation.h"} if "wire::HttpBinding" in text else set()
        ours |= {f"shapes/{self.name}/{other}.h" for other in self.includes[noun]} | {"wire/traits.h"}
        return "\n".join(
            ["// SPDX-License-Identifier: Apache-2.0", self.comment(),
             "#pragma once", "", "#include <boost/describe/class.hpp>"] + [f"#include <{h}>" for h in system] + [""] +
            [f'#include "{h}"' for h in sorted(ours)] + ["", f"namespace shapes::{self.name} {{", ""] + body +
            [f"}}  // namespace shapes::{self.name}", ""] + after +
            [f"extern template struct wire::detail::Table<shapes::{self.name}::{name}>;" for name in structs]
        ).rstrip() + "\n"

    # Each shape's table is instantiated in one file: instantiating it in every user took most of the build's time.
    def tables(self):
        nouns = sorted(self.map["headers"])
        structs = [part[1] for noun in nouns for part in self.lines[noun] if part[0] == "struct"]
        return "\n".join(
            ["// SPDX-License-Identifier: Apache-2.0", self.comment()] +
            [f'#include "shapes/{self.name}/{noun}.h"' for noun in nouns] + ['#include "wire/type_of.h"', ""] +
            [f"template struct wire::detail::Table<shapes::{self.name}::{name}>;" for name in structs]) + "\n"

    def struct_code(self, name, members):
        zeroed = {SCALARS[k] for k in ("boolean", "integer", "long", "float", "double", "timestamp")}
        lines = [f"struct {name} {{"]
        lines += [f"  {kind} {member}{'{}' if kind in zeroed else ''};" for kind, member in members]
        # A member of the same name hides the type.
        own = f"struct {name}" if name in [member for _, member in members] else name
        lines += [f"  bool operator==(const {own}&) const = default;", "};"]
        listed = ", ".join(member for _, member in members)
        return lines + [wrap(f"BOOST_DESCRIBE_STRUCT({name}, (), ({listed}))")]

    def traits_code(self, name, structure, members):
        space = f"shapes::{self.name}::"
        def code(traits):
            return "{" + joined({k: v.replace("&k", f"&{space}k") if v.startswith("&k") else
                                 (space + v if v.startswith("k") else v) for k, v in traits.items()}) + "}"
        lead = f"inline constexpr auto wire::kTraits<{space}{name}> = wire::traits("
        first = code(structure) if structure else ""
        if not members:
            return ["template <>", f"{lead}wire::Structure{first});"]
        return ["template <>", lead + (first + ", {" if first else "{")] + \
               [wrap(f"    {code(m)},", 8) for m in members] + ["});"]

    def errors(self):
        rows = []
        for name, shape in sorted(self.shapes.items()):
            if not shape.get("exception"):
                continue
            error = {**shape.get("error", {}), **self.older.get(name, {}).get("error", {})}
            code, status = error.get("code", ""), error.get("httpStatusCode", 500 if shape.get("fault") else 400)
            code, status = self.map.get("errors", {}).get(name, [code, status])
            sender = "true" if status < 500 else "false"
            rows.append(f"    {{{quoted(name)}, {quoted('' if code == name else code)}, {status}, {sender}, {quoted('')}}},")
        table = "inline constexpr std::span<const wire::ErrorSpec> kErrors;"
        if rows:
            table = "inline constexpr wire::ErrorSpec kErrors[] = {\n" + "\n".join(rows) + "\n};"
        return "\n".join(
            ["// SPDX-License-Identifier: Apache-2.0", self.comment(),
             "#pragma once", "", '#include "wire/operation.h"', "", f"namespace shapes::{self.name} {{", "",
             "// Name, code in the query protocol, status, whether it is the sender's fault.", table, "",
             f"}}  // namespace shapes::{self.name}", ""])


def namespace_traits(space):
    uri, prefix = (space, "") if isinstance(space, str) else (space["uri"], space.get("prefix", ""))
    return {"xmlns": quoted(uri), **({"xmlns_prefix": quoted(prefix)} if prefix else {})}


# The order of wire::Member's and wire::Structure's members, which designators must keep.
ORDER = ["member", "required", "name", "xml", "ec2", "flattened", "item", "key", "value", "attribute", "xmlns",
         "xmlns_prefix", "in", "at", "time", "one_of", "min", "max", "pattern", "secret", "of", "keys", "payload",
         "unwrapped"]


def joined(traits):
    return ", ".join(f".{key} = {traits[key]}" for key in ORDER if key in traits)


def qualify(kind, word, space):
    return re.sub(rf"(?<![\w:]){word}(?!\w)", f"{space}::{word}", kind)


def wrap(code, indent=4):
    """Breaks a long line, but never beside a '='."""
    if len(code) <= 120:
        return code
    first = len(code) - len(code.lstrip())
    lines = textwrap.wrap(code.strip().replace(" = ", "\u00a0=\u00a0"), 120, initial_indent=" " * first,
                          subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\u00a0", " ")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("services", nargs="+", metavar="SERVICE")
    options.add_argument("--models", type=pathlib.Path, default=os.environ.get("STOKER_MODELS"),
                         help="botocore's data folder ($STOKER_MODELS; default: that of this interpreter)")
    options.add_argument("--query-models", type=pathlib.Path, default=os.environ.get("STOKER_QUERY_MODELS"),
                         help="an older botocore's data folder ($STOKER_QUERY_MODELS; default: Debian's)")
    options.add_argument("--accept-version", action="store_true", help="generate from other versions of botocore")
    given = options.parse_args()
    models = pathlib.Path(given.models or data_folder_of(sys.executable))
    query_models = pathlib.Path(given.query_models or data_folder_of(DEBIAN_PYTHON))
    services = [Service(name, models, query_models) for name in given.services]
    for service in services:
        if not given.accept_version:
            service.check_version()
    for service in services:
        service.write()


if __name__ == "__main__":
    main()
