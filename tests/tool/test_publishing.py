"""The workflow that publishes the wheel: what may write runs no code of ours."""

from __future__ import annotations

import tomllib

import yaml

from gpu_guide import ROOT


def test_the_job_that_may_publish_only_uploads_what_was_built():
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    writing = [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})]
    assert writing == ["publish"]
    publish = jobs["publish"]
    assert not any("run" in step or "checkout" in step["uses"] for step in publish["steps"])
    assert publish["needs"] == "build"
    assert publish["environment"]["url"].rstrip("/").endswith(f"/{project['name']}")
    kept, fetched = ("upload-artifact", "download-artifact")
    (made,) = (step["with"] for step in jobs["build"]["steps"] if kept in step.get("uses", ""))
    (taken,) = (step["with"] for step in publish["steps"] if fetched in step["uses"])
    assert made["name"] == taken["name"] and made["path"] == taken["path"] == "dist"
