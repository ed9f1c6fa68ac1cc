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


def test_the_wheel_is_tested_in_the_oldest_python_that_it_names():
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["build"]["steps"]
    made = [step["with"] for step in steps if "setup-python" in step.get("uses", "")]
    versions = [one["python-version"] for one in made]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={versions[0]}"
    # The last one is the Python of all that follows.
    assert versions[1:] == ["3.13"]
    tests = [step["run"] for step in steps if "gpu_guide test" in step.get("run", "")]
    assert tests == ["python -m gpu_guide test tests/tool"]
