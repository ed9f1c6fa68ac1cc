"""The guide's own plots read what their snippets print."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import product

import pytest

from gpu_guide.data.plots import load_plots
from gpu_guide.project import HERE
from gpu_guide.snippets.model import load_snippets


def test_the_guides_plots_draw_what_only_a_machine_can_tell():
    snippets = load_snippets(HERE)
    for plot in load_plots(HERE).values():
        snippet = snippets[plot.snippet]
        assert snippet.measures or not snippet.simulated, plot.name


class Figure(int):
    """Whatever a snippet measures: a number, a table of numbers, or so many of them."""

    many = 3

    def __getitem__(self, of: object) -> Figure:
        return self

    def __iter__(self) -> Iterator[Figure]:
        return iter([self] * self.many)

    def values(self) -> Figure:
        return self


class Measured(dict):
    """The names of a snippet that was not run: each of them is a figure."""

    def __missing__(self, name: str) -> object:
        if hasattr(builtins, name):
            raise KeyError(name)
        return Figure(7)


def print_statements(tree: ast.Module) -> Iterator[tuple[list[ast.Assign], list[ast.expr]]]:
    """What each `print` is given, and the assignments beside it."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "print":
                yield [one for one in body if isinstance(one, ast.Assign)], call.args


def lines_of(source: str, texts: dict[str, str]) -> Iterator[str]:
    """What the print statements of a snippet would say, with 7 for everything measured."""
    tree = ast.parse(source)
    names = Measured(texts)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    exec(compile(ast.Module(functions, []), "functions", "exec"), names)
    for beside, args in print_statements(tree):
        starred = {ast.unparse(one.value) for one in args if isinstance(one, ast.Starred)}
        made = [one for one in beside if ast.unparse(one.targets[0]) in starred]
        exec(compile(ast.Module(made, []), "beside", "exec"), {}, names)
        given = ast.Expression(ast.Tuple(args, ast.Load()))
        said = eval(compile(ast.fix_missing_locations(given), "print", "eval"), {}, names)
        yield " ".join(map(str, said))


@pytest.mark.parametrize("plot", load_plots(HERE).values(), ids=lambda plot: plot.name)
def test_a_plot_reads_what_its_snippet_prints(plot, monkeypatch):
    """A line that is worded anew would be a note, and only a record on a GPU would tell."""
    source = (HERE.snippets / f"{plot.snippet}.py").read_text(encoding="utf-8")
    for name in plot.names or ["7"]:
        said = []
        for many, target in product(range(3, 6), ("CPU", "GPU")):
            monkeypatch.setattr(Figure, "many", many)
            try:
                said += lines_of(source, {"name": name, "target": target})
            except ValueError:  # another number of values is unpacked
                continue
        matches = [match for line in said if (match := plot.line.fullmatch(line))]
        assert any(match["x"] for match in matches), (plot.line.pattern, said)
