"""The tables by the names that fences give them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from markupsafe import Markup

from gpu_guide.data.gpus import load_gpus
from gpu_guide.data.mirrors import load_mirrors
from gpu_guide.data.nccl import load_backends
from gpu_guide.data.platforms import load_platforms
from gpu_guide.data.wheels import load_wheels
from gpu_guide.project import Project
from gpu_guide.render import (
    download_tables,
    dry_run_table,
    fit_tables,
    gpu_tables,
    mirror_table,
    nccl_table,
    platform_table,
    simulated_projects_table,
    wheel_tables,
)
from gpu_guide.render.file_cache import loaded
from gpu_guide.render.sent_table import sent
from gpu_guide.render.words import Words


def named_tables(project: Project, say: Words) -> dict[str, Callable[[], Markup]]:
    """What makes the HTML of each table, by the name that a fence gives. They raise GuideError.

    A project that has not the data of a table has not the table.
    """

    def of_wheels(make: wheel_tables.Make) -> Markup:
        return make(loaded(load_wheels, project, project.wheels), say).html(say)

    def of_gpus(make: gpu_tables.Make) -> Markup:
        # They are made of other files, too: whatever changes in data is read again.
        return make(loaded(load_gpus, project, project.data), say).html(say)

    def of_backends() -> Markup:
        return nccl_table.backends(loaded(load_backends, project, project.nccl), say).html(say)

    def of_clouds() -> Markup:
        data = loaded(load_platforms, project, project.platforms)
        return platform_table.clouds(data, say).html(say)

    def of_mirrors() -> Markup:
        data = loaded(load_mirrors, project, project.mirrors)
        return mirror_table.mirrors(data, say).html(say)

    tables: dict[str, Callable[[], Markup]] = {
        "multi-gpu/sent": partial(sent, say),
        "tools/editors": partial(download_tables.of, download_tables.EDITORS, say),
        "tools/programs": partial(download_tables.of, download_tables.PROGRAMS, say),
    }
    if project.wheels.is_file():
        tables |= {name: partial(of_wheels, make) for name, make in wheel_tables.TABLES.items()}
    if project.gpus.is_file():
        tables |= {name: partial(of_gpus, make) for name, make in gpu_tables.TABLES.items()}
    if project.nccl.is_file():
        tables["nccl/backends"] = of_backends
    if project.platforms.is_file():
        tables["platforms/clouds"] = of_clouds
    if project.mirrors.is_file():
        tables["install/mirrors"] = of_mirrors
    if project.models.is_file():
        tables |= fit_tables.tables(project, say)
    if project.dry_run_published.is_file():
        tables["dry-run/published"] = partial(dry_run_table.published, project, say)
    if project.public_scripts.is_file():
        tables["dry-run/public"] = partial(dry_run_table.public, project, say)
    if project.dry_run_measured.is_file():
        tables["dry-run/measured"] = partial(dry_run_table.measured, project, say)
    if project.simulated_projects.is_file():
        of_others = simulated_projects_table
        tables["check/others-tests"] = partial(of_others.tests, project, say)
        tables["check/others-faults"] = partial(of_others.faults, project, say)
    return tables
