"""A fence `apis` becomes names of torch: those that snippets use, those that none uses, or those
that are deprecated.

    used torch.cuda        the names in a group of data/apis.yml, the home of each, and the snippets
                           that use it
    unused torch.cuda      the public names of a module that no snippet uses
    deprecated             what PyTorch's own warnings say, and the snippets that show it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import relpath

from gpu_guide.data.apis import Module, load_modules, module_of
from gpu_guide.pages.snippet_index import first_uses, linked
from gpu_guide.problems import did_you_mean, fault
from gpu_guide.project import Project
from gpu_guide.render.api_names import anchor, users_of_names
from gpu_guide.render.error_list import title_of
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.homes import LISTS, homes
from gpu_guide.render.words import Words

MOST = 1
"""How many snippets of one name are linked: `torch.ones` is in a hundred."""


class ApiList:
    """`ApiList(project, say)("used torch.cuda")`. Raises GuideError."""

    def __init__(self, project: Project, say: Words) -> None:
        self.project, self.say = project, say

    def __call__(self, what: str) -> str:
        modules = loaded(load_modules, self.project, self.project.apis)
        users = loaded(users_of_names, self.project, self.project.snippets)
        kind, _, of = what.partition(" ")
        groups = {module.group for module in modules.values()}
        listed = {module.module for module in modules.values() if module.names}
        known = [f"used {one}" for one in sorted(groups)]
        known += [f"unused {one}" for one in sorted(listed)] + ["deprecated"]
        if what not in known:
            remedy = did_you_mean(what, known)
            raise fault(None, None, f"no list of APIs {what!r}", remedy)
        if kind == "used":
            return "\n".join(self._used(of, modules, users))
        if kind == "unused":
            return self._unused(modules[of], users)
        return "\n".join(self._deprecated(modules, users))

    def _uses(self) -> Mapping[str, str]:
        return loaded(first_uses, self.project, self.project.docs)[self.say.language]

    def _used(
        self, group: str, modules: Mapping[str, Module], users: Mapping[str, list[str]]
    ) -> Iterator[str]:
        uses = self._uses()  # asked once: to see whether any page has changed takes its time
        homes_of = loaded(homes, self.project, self.project.docs)
        for name in sorted(users, key=lambda name: (name.lower(), name)):
            module = module_of(name, modules)
            if module.group == group:
                private = any(part.startswith("_") for part in name.split("."))
                yield f"{self._name(name, '' if private else module.page)} {{ #{anchor(name)} }}"
                yield f":   {self._home(homes_of[name])}{self._snippets(users[name], uses)}\n"

    def _unused(self, module: Module, users: Mapping[str, list[str]]) -> str:
        unused = [name for name in module.names if f"{module.module}.{name}" not in users]
        count = self.say("apis_unused", count=len(unused), of=len(module.names), torch=module.torch)
        return f"{count}\n\n{self.say.listed([f'`{name}`' for name in unused])}\n"

    def _deprecated(
        self, modules: Mapping[str, Module], users: Mapping[str, list[str]]
    ) -> Iterator[str]:
        uses = self._uses()
        for module in modules.values():
            for name, text in module.deprecated.items():
                whole = f"{module.module}.{name}"
                said = text.replace("`", "").rstrip(".")
                yield f"`{whole}`"
                yield f":   {self.say('apis_deprecated', text=said, torch=module.torch)}"
                if whole in users:
                    shown = self._snippets(users[whole], uses)
                    yield f"\n    {self.say('apis_shown', snippets=shown)}"
                yield ""

    def _home(self, place: str) -> str:
        """The section in which the name is explained, with what follows it; "" without one."""
        page, mark, section = place.partition("#")
        if page == LISTS:
            return ""
        address = f"{relpath(page, 'reference')}.md{mark}{section}"
        title = title_of(self.project, self.say.language, place)
        return self.say("apis_home", home=f"[{title}]({address})")

    def _name(self, name: str, page: str) -> str:
        return f"[`{name}`]({page})" if page else f"`{name}`"

    def _snippets(self, names: list[str], uses: Mapping[str, str]) -> str:
        more = len(names) - MOST
        links = [linked(name, uses, "reference") for name in names[:MOST]]
        links += [self.say("apis_more", count=more)] if more > 0 else []
        return self.say.listed(links)
