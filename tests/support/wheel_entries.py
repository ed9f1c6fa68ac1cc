"""A small data/wheels.yml that is right."""

ENTRIES = """- kind: source
  id: pypi
  zh: 元数据
  en: metadata
  url: https://example.org/

- kind: driver
  cuda: "13"
  linux: "580"
  windows: "580"
  source: pypi
  read: 2026-11-21

- kind: generation
  name: Turing
  capabilities: ["7.5"]
  cards: [T4]
  source: pypi
  read: 2026-11-21

- kind: release
  torch: "2.15"
  latest: "2.15.0"
  python: ["3.11", "3.12"]
  linux_x86_64: "13.2"
  linux_aarch64: "13.2"
  windows: cpu
  macos: none
  source: pypi
  read: 2026-11-21

- kind: build
  torch: "2.15"
  cuda: "13.2"
  x86_64: ["7.5", "12.0+PTX"]
  source: pypi
  read: 2026-11-21
  unchecked: [aarch64]
"""
