// The wheel chooser of install/: a reader's machine and wishes, and the command for them. The rules
// are those of gpu_guide/data/wheel_chooser.py, which the tests hold against these; data and words
// come with the page. Without this script the page has its commands and tables.
(globalThis.guideForms ??= []).push((shared) => {
  "use strict";
  const { make, recall, remember } = shared;

  const PLATFORMS = {
    linux: "linux_x86_64",
    wsl: "linux_x86_64",
    "linux-arm": "linux_aarch64",
    windows: "windows",
    mac: "macos",
    "mac-intel": "",
  };
  const TOOLS = ["pip", "uv", "conda"];
  const CONDA = ["linux", "wsl", "windows", "mac"];
  const [CONDA_CUDA, CONDA_LEAST] = ["12", "7.5"];
  const USUAL_PYTHON = 13;
  const INDEX = "https://download.pytorch.org/whl/";
  const PYPI_MIRROR = "https://pypi.tuna.tsinghua.edu.cn/simple";
  const WHEEL_MIRROR = "https://mirror.sjtu.edu.cn/pytorch-wheels";
  const CONDA_MIRROR = "https://mirrors.tuna.tsinghua.edu.cn/anaconda/cloud/conda-forge";
  const NEWEST = "99999";
  const OTHER_MAKERS = { amd: /\bAMD\b|Radeon|\bInstinct\b|\bRX \d{4}/i, intel: /\bIntel\b.*\bArc\b|\bArc\b.*\b[AB]\d{3}\b/i };

  const numbers = (text) => text.split(".").map(Number);
  /** Negative where one version is before another: 2.9 is before 2.10. */
  const compare = (one, other) => {
    const [a, b] = [numbers(one), numbers(other)];
    for (let n = 0; n < Math.max(a.length, b.length); n += 1) {
      if ((a[n] ?? -1) !== (b[n] ?? -1)) return (a[n] ?? -1) - (b[n] ?? -1);
    }
    return 0;
  };
  const highest = (versions) => versions.reduce((one, other) => (compare(one, other) < 0 ? other : one));
  const lowest = (versions) => versions.reduce((one, other) => (compare(one, other) > 0 ? other : one));
  const major = (text) => text.split(".")[0];

  /** The data of the page with names: gpu_guide/data/wheel_chooser.py, carried. */
  function unpacked(data) {
    const named = (rows, ...names) => rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n]])));
    return {
      releases: named(data.releases, "torch", "latest", "python", "given"),
      builds: named(data.builds, "torch", "cuda", "sure", "x86", "arm"),
      drivers: named(data.drivers, "cuda", "linux", "windows"),
      branches: named(data.branches, "driver", "cuda"),
      generations: named(data.generations, "name", "capabilities", "cards", "driver", "last"),
      boards: named(data.boards, "capability", "boards", "since"),
      companions: named(data.companions, "name", "version", "torch", "fits"),
      series: named(data.series, "label", "names", "capability"),
    };
  }

  /** Whether code of a build runs on a GPU of this compute capability. */
  function covers(wheels, build, gpu, platform) {
    const archs = platform === "linux_aarch64" ? build.arm : build.x86;
    const board = wheels.boards.find(({ capability }) => capability === gpu);
    if (board && !(board.since && compare(board.since, build.cuda) <= 0)) return archs.includes(gpu);
    return archs.some((arch) => {
      const code = arch.replace("+PTX", "");
      const ptx = arch !== code && platform !== "windows";
      return compare(code, gpu) <= 0 && (major(code) === major(gpu) || ptx);
    });
  }

  function least(wheels, wish, cuda) {
    const driver = wheels.drivers.find((one) => one.cuda === major(cuda));
    const known = wheels.generations.filter(({ driver: first, capabilities }) => first && capabilities.some((c) => wish.gpus.includes(c)));
    return highest([["windows", "wsl"].includes(wish.system) ? driver.windows : driver.linux, ...known.map((one) => one.driver)]);
  }

  function boardsRun(wheels, wish) {
    const since = wheels.boards.filter((one) => one.since && wish.gpus.includes(one.capability)).map((one) => one.since);
    const runs = wheels.branches.filter(({ driver }) => compare(driver, wish.driver || "0") <= 0).map(({ cuda }) => cuda);
    return since.every((one) => runs.some((cuda) => compare(cuda, one) >= 0));
  }

  const releaseOf = (wheels, torch) => wheels.releases.find((one) => one.torch === torch);

  /** The torchvision or torchaudio for a release of torch. */
  function companion(wheels, name, torch) {
    const fitting = wheels.companions.filter((one) => one.name === name && one.fits.includes(torch));
    return fitting.find((one) => one.torch.startsWith(`${torch}.`)) ?? fitting[0];
  }

  function audioFor(wheels, wish, torch, cuda) {
    if (!wish.packages.includes("torchaudio")) return "";
    const found = companion(wheels, "torchaudio", torch);
    const with_ = found.torch.split(".").slice(0, 2).join(".");
    const built = wheels.builds.some((one) => one.torch === with_ && one.cuda === cuda);
    const fits = releaseOf(wheels, with_).python.includes(wish.python) && (!cuda || built);
    return fits ? found.version : "";
  }

  /** The newest torch, with torchaudio if wished for; of its builds the newest CUDA major, there the oldest minor. */
  function find(wheels, wish) {
    const known = wheels.builds.filter(({ x86, arm }) => x86.length || arm.length);
    const cudas = [...new Set(known.map(({ cuda }) => cuda))];
    cudas.sort((one, other) => major(other) - major(one) || compare(one, other));
    const spoken = ({ torch, cuda }) => Number(Boolean(audioFor(wheels, wish, torch, cuda)));
    const better = (one, other) => spoken(one) - spoken(other) || compare(one.torch, other.torch);
    let best = null;
    for (const cuda of cudas) {
      if (compare(wish.driver || "0", least(wheels, wish, cuda)) < 0 || !boardsRun(wheels, wish)) continue;
      let below = "";
      const builds = known.filter((one) => one.cuda === cuda && [one.torch, ""].includes(wish.torch));
      for (const build of builds.sort((one, other) => compare(other.torch, one.torch))) {
        if (!releaseOf(wheels, build.torch).python.includes(wish.python)) continue;
        if (!wish.gpus.every((gpu) => covers(wheels, build, gpu, PLATFORMS[wish.system]))) below = build.torch;
        else if (build.sure) {
          if (!best || better(build, best.build) > 0) best = { build, below };
          break;
        }
      }
    }
    return best;
  }

  const usual = (python) => Math.abs(numbers(python)[1] - USUAL_PYTHON);
  const plain = (pythons) => pythons.filter((one) => !one.endsWith("t"));

  /** What would have to change, each entry alone; the fewest changes at once. */
  function findNeeds(wheels, wish) {
    const fixed = wheels.boards.some(({ capability }) => wish.gpus.includes(capability));
    const pythons = [...new Set(wheels.releases.flatMap(({ python }) => plain(python)))];
    pythons.sort((one, other) => usual(one) - usual(other) || compare(one, other));
    const options = { driver: fixed ? [] : [NEWEST], python: pythons, torch: wish.torch ? [""] : [] };
    const sets = [["driver"], ["python"], ["torch"], ["driver", "python"], ["driver", "torch"], ["python", "torch"], ["driver", "python", "torch"]];
    const choices = ([name, ...others]) =>
      name ? options[name].flatMap((value) => choices(others).map((rest) => ({ [name]: value, ...rest }))) : [{}];
    for (const count of [1, 2, 3]) {
      const needs = [];
      for (const names of sets.filter((set) => set.length === count)) {
        for (const change of choices(names)) {
          const found = find(wheels, { ...wish, ...change });
          if (!found) continue;
          if ("driver" in change) change.driver = least(wheels, wish, found.build.cuda);
          if ("torch" in change) change.torch = found.build.torch;
          needs.push(change);
          break;
        }
      }
      if (needs.length) return needs;
    }
    return [];
  }

  const refusal = (...why) => ({ prepare: [], install: [], why, check: "", expect: [] });

  function refused(wheels, wish, needs) {
    const done = refusal([wish.driver ? "none_now" : "none_no_driver", {}]);
    needs.forEach((need) => done.why.push(["need", { changes: Object.entries(need) }]));
    const last = wheels.generations.filter((one) => one.last && one.capabilities.some((c) => wish.gpus.includes(c)));
    if (last.length && needs.some((need) => "driver" in need)) {
      done.why.push(["why_last_driver", { driver: lowest(last.map((one) => one.last)) }]);
    }
    return done;
  }

  const checkOf = (asked) => `python -c "import torch; print(torch.__version__, ${asked})"`;
  const pipOf = (wish) => (wish.tool === "uv" ? "uv pip" : "python -m pip");

  function begun(wish) {
    const windows = wish.system === "windows";
    const python = windows ? `py -${wish.python}` : `python${wish.python}`;
    const make = wish.tool === "uv" ? `uv venv --python ${wish.python}` : `${python} -m venv .venv`;
    return { ...refusal(), prepare: [make, windows ? ".venv\\Scripts\\activate" : "source .venv/bin/activate"] };
  }

  function noAudio(wheels, wish, done, torch, audio) {
    if (!wish.packages.includes("torchaudio") || audio) return;
    done.why.push(["why_no_audio", { audio: companion(wheels, "torchaudio", torch).version, python: wish.python }]);
  }

  function install(wish, done, torch, audio, index) {
    const vision = wish.packages.includes("torchvision") ? " torchvision" : "";
    done.install.push(`${pipOf(wish)} install ${torch}${vision}${index}`);
    if (!audio) return;
    done.install.push(`${pipOf(wish)} install torchaudio==${audio}${index}`);
    done.why.push(["why_audio", { audio }]);
  }

  function fromMirror(wheels, wish, done, release, cuda, audio) {
    const given = release.given[PLATFORMS[wish.system] === "linux_aarch64" ? 1 : 0];
    const pypi = Boolean(cuda) && wish.system !== "windows" && given === cuda;
    const build = cuda ? `+cu${cuda.replace(".", "")}` : "+cpu";
    const local = pypi ? "" : build;
    let [torch, vision] = [release.latest, ""];
    if (wish.packages.includes("torchvision")) {
      const pair = companion(wheels, "torchvision", release.torch);
      vision = ` torchvision==${pair.version}${local}`;
      torch = pair.torch;
    }
    let index = ` --index-url ${PYPI_MIRROR}`;
    if (!pypi) {
      index = ` --index-url ${WHEEL_MIRROR} --extra-index-url ${PYPI_MIRROR}`;
      if (wish.tool === "uv") index += " --index-strategy unsafe-best-match";
    }
    done.install.push(`${pipOf(wish)} install torch==${torch}${local}${vision}${index}`);
    if (audio) {
      done.install.push(`${pipOf(wish)} install torchaudio==${audio}${local}${index}`);
      done.why.push(["why_audio", { audio }]);
    }
    if (pypi) done.why.push(["why_pypi_mirror", { torch, cuda }]);
    else done.why.push(["why_wheel_mirror", { local }]);
    if (!pypi && wish.tool === "uv") done.why.push(["why_uv_mirror", {}]);
  }

  function installed(wheels, wish, { build, below }) {
    const done = begun(wish);
    const { torch, cuda } = build;
    const tag = `cu${cuda.replace(".", "")}`;
    done.why.push(["why_build", { cuda, driver: least(wheels, wish, cuda), gpus: wish.gpus, torch }]);
    const audio = audioFor(wheels, wish, torch, cuda);
    if (wish.china) fromMirror(wheels, wish, done, releaseOf(wheels, torch), cuda, audio);
    else {
      if (below && !wish.torch) done.why.push(["why_below", { torch: below, tag }]);
      const newest = below ? `"torch<${below}"` : "torch";
      install(wish, done, wish.torch ? `"torch==${wish.torch}.*"` : newest, audio, ` --index-url ${INDEX}${tag}`);
    }
    if (wish.system === "windows" && !wish.china) done.why.push(["why_windows", {}]);
    if (wish.system === "wsl") done.why.push(["why_wsl", {}]);
    noAudio(wheels, wish, done, torch, audio);
    done.check = checkOf("torch.version.cuda, torch.cuda.is_available()");
    done.expect.push(["expect_cuda", { cuda }]);
    return done;
  }

  function withCuda(wheels, wish) {
    const cards = [...new Set(wish.gpus)].sort(compare);
    for (let start = 0; start < cards.length; start += 1) {
      const kept = { ...wish, gpus: cards.slice(start) };
      const found = find(wheels, kept);
      if (found) {
        const done = installed(wheels, kept, found);
        if (start) done.why.unshift(["why_without", { gpus: cards.slice(0, start) }]);
        return done;
      }
      const needs = findNeeds(wheels, kept);
      if (needs.length) return refused(wheels, kept, needs);
    }
    const board = wheels.boards.some(({ capability }) => cards.includes(capability));
    return board ? refusal(["none_jetson", {}]) : refusal(["none_build", { gpus: cards }]);
  }

  function otherRelease(wheels, wish, able) {
    const [wished] = wheels.releases.filter(({ torch }) => ["", torch].includes(wish.torch));
    const python = plain(wished.python).reduce((one, other) => (usual(other) < usual(one) ? other : one));
    const needs = [{ python }, ...(able.length ? [{ torch: able[0].torch }] : [])];
    return refused(wheels, { ...wish, driver: NEWEST }, needs);
  }

  function withoutCuda(wheels, wish) {
    const able = wheels.releases.filter(({ python }) => python.includes(wish.python));
    const release = able.find(({ torch }) => ["", torch].includes(wish.torch));
    if (!release) return otherRelease(wheels, wish, able);
    const mac = wish.system === "mac";
    const done = begun(wish);
    done.why.push([mac ? "why_mac" : "why_cpu", {}]);
    const audio = audioFor(wheels, wish, release.torch, "");
    const fromPypi = mac || wish.system === "windows";
    if (wish.china && !fromPypi) fromMirror(wheels, wish, done, release, "", audio);
    else {
      let index = fromPypi ? "" : ` --index-url ${INDEX}cpu`;
      if (wish.china) {
        index = ` --index-url ${PYPI_MIRROR}`;
        done.why.push(["why_pypi_mirror_plain", {}]);
      }
      install(wish, done, wish.torch ? `"torch==${wish.torch}.*"` : "torch", audio, index);
    }
    noAudio(wheels, wish, done, release.torch, audio);
    done.check = checkOf(mac ? "torch.backends.mps.is_available()" : "torch.version.cuda");
    done.expect.push([mac ? "expect_mac" : "expect_cpu", {}]);
    return done;
  }

  function withConda(wheels, wish) {
    if (!CONDA.includes(wish.system)) return refusal(["none_conda", {}]);
    if (wish.python.endsWith("t")) return refusal(["none_conda_threads", {}]);
    if (wish.torch) return refusal(["none_conda_torch", {}]);
    if (!wheels.releases[0].python.includes(wish.python)) return otherRelease(wheels, wish, []);
    const mac = wish.system === "mac";
    const cuda = wish.gpus.length > 0 && !mac;
    if (cuda) {
      const boards = wheels.boards.map(({ capability }) => capability);
      if (wish.gpus.some((gpu) => compare(gpu, CONDA_LEAST) < 0 || boards.includes(gpu))) {
        return refusal(["none_conda_gpu", { gpu: CONDA_LEAST }]);
      }
      const driver = least(wheels, wish, `${CONDA_CUDA}.0`);
      if (compare(wish.driver || "0", driver) < 0) return refused(wheels, wish, [{ driver }]);
    }
    const kind = cuda ? '"pytorch=*=cuda*"' : '"pytorch=*=cpu*"';
    const channel = wish.china ? `-c ${CONDA_MIRROR} --override-channels` : "-c conda-forge";
    const names = [mac ? "pytorch" : kind, ...wish.packages].join(" ");
    const done = refusal([cuda ? "why_conda" : "why_conda_plain", {}]);
    done.install.push(`conda create -n torch ${channel} python=${wish.python} ${names}`, "conda activate torch");
    if (wish.china) done.why.push(["why_conda_mirror", {}]);
    if (wish.system === "wsl") done.why.push(["why_wsl", {}]);
    const asked = cuda ? "torch.version.cuda, torch.cuda.is_available()" : "torch.version.cuda";
    done.check = checkOf(mac ? "torch.backends.mps.is_available()" : asked);
    const without = mac ? "expect_mac" : "expect_cpu";
    done.expect.push([cuda ? "expect_conda" : without, {}]);
    return done;
  }

  function answer(wheels, wish) {
    if (wish.system === "mac-intel") return refusal(["none_intel_mac", {}]);
    const maker = Object.keys(OTHER_MAKERS).find((one) => wish.gpus.includes(one));
    if (maker && wish.system !== "mac") return refusal([`none_${maker}`, {}]);
    if (wish.tool === "conda") return withConda(wheels, wish);
    return wish.system === "mac" || !wish.gpus.length ? withoutCuda(wheels, wish) : withCuda(wheels, wish);
  }

  /** nvidia-smi names the GPU of a Jetson by the last word of the board's name: "Orin (nvgpu)". */
  const boardOf = (wheels, name) => wheels.boards.find(({ boards }) => boards.some((board) => name.includes(board.split(" ").at(-1))))?.capability ?? "";

  /** Driver and compute capabilities in what nvidia-smi printed, as a table or as CSV. */
  function readSmi(wheels, text) {
    const driver = text.match(/(?:Driver|KMD) Version\s*:\s*(\d[\d.]*\d)/)?.[1] ?? text.match(/^[^,\n]+,\s*(\d{3}\.[\d.]+\d)\s*(?:,|$)/m)?.[1] ?? "";
    const rows = [...text.matchAll(/^\|\s+\d+\s+([^|\s][^|]*?)\s+(?:On|Off|N\/A|WDDM|TCC|MCDM)\s+\|/gm)].map((row) => row[1]);
    const lines = text.split("\n").map((line) => line.split(",").map((cell) => cell.trim()));
    const csv = lines.filter((cells) => cells.length > 1 && cells.some((cell) => /^\d{3}\.\d|^\d+ MiB$/.test(cell)));
    const gpus = [...rows.map((name) => [name]), ...csv].map(([name, ...cells]) => {
      const said = cells.find((cell) => /^\d{1,2}\.\d$/.test(cell));
      return said ?? wheels.series.find(({ names }) => new RegExp(names).test(name))?.capability ?? boardOf(wheels, name);
    });
    const other = Object.entries(OTHER_MAKERS).find(([, pattern]) => pattern.test(text));
    if (!gpus.length && other) return { driver, gpus: [other[0]], unknown: false };
    const known = [...new Set(gpus.filter(Boolean))].sort(compare);
    return { driver, gpus: known, unknown: gpus.length === 0 || gpus.includes("") };
  }

  /** Text with what stands in backquotes as code, and with [links](to an address). */
  const coded = (text) => text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith("`")) return make("code", {}, part.slice(1, -1));
    const link = part.match(/^\[(.+)\]\((.+)\)$/);
    return link ? make("a", { href: link[2] }, link[1]) : part;
  });

  function worded(words, [key, values]) {
    const shown = Object.entries(values).map(([name, value]) => {
      if (name === "changes") return [name, value.map(([what, to]) => words[`change_${what}`].replace("{value}", to)).join(words.and)];
      return [name, Array.isArray(value) ? value.join(words.comma) : value];
    });
    return shown.reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), words[key]);
  }

  function build(box) {
    const { wheels: data, words } = JSON.parse(box.querySelector("script").textContent);
    const wheels = unpacked(data);
    const pythons = [...new Set(wheels.releases.flatMap(({ python }) => python))];
    const bare = (python) => python.replace("t", "");
    pythons.sort((one, other) => compare(bare(other), bare(one)) || other.length - one.length);
    const field = {};
    const select = (name, options, first) => {
      field[name] = make("select", { name }, ...options.map(([value, text]) => make("option", { value }, text)));
      field[name].value = first;
      return make("label", {}, make("span", {}, words[name]), field[name]);
    };
    const tick = (name, text) => {
      field[name] = make("input", { type: "checkbox", name });
      return make("label", {}, make("span", {}, text), field[name]);
    };
    const system = /Win/.test(navigator.platform) ? "windows" : /Mac/.test(navigator.platform) ? "mac" : "linux";
    const gpus = wheels.series.map(({ label, capability }) => [capability, `${label} (${capability})`]);
    const boards = wheels.boards.map(({ capability, boards: names }) => [capability, `${names.join(", ")} (${capability})`]);
    const makers = Object.keys(OTHER_MAKERS).map((maker) => [maker, words[`gpu_${maker}`]]);
    field.driver = make("input", { type: "text", name: "driver", value: "580", inputMode: "decimal", autocomplete: "off", pattern: "\\d{1,4}(\\.\\d{1,4}){0,3}", maxLength: 16 });
    field.smi = make("textarea", { name: "smi", rows: 4, spellcheck: false, placeholder: words.paste_hint });
    field.smi.setAttribute("aria-label", words.paste);
    const note = make("p", { className: "wheel-chooser__note" });
    note.setAttribute("role", "status");
    const inputs = make(
      "form",
      { className: "wheel-chooser__inputs" },
      select("system", Object.keys(PLATFORMS).map((one) => [one, words[`system_${one}`]]), system),
      select("tool", TOOLS.map((one) => [one, words[`tool_${one}`]]), "pip"),
      select("gpu", [...gpus, ...boards, ...makers, ["", words.gpu_none]], "8.9"),
      make("label", {}, make("span", {}, words.driver), field.driver),
      select("python", pythons.map((one) => [one, one]), `3.${USUAL_PYTHON}`),
      select("torch", [["", words.newest], ...wheels.releases.map(({ torch }) => [torch, torch])], ""),
      tick("torchvision", words.with_torchvision),
      tick("torchaudio", words.with_torchaudio),
      tick("china", words.china),
      make("details", {}, make("summary", {}, words.paste), field.smi, note),
    );
    inputs.addEventListener("submit", (event) => event.preventDefault());
    const code = make("code", {});
    const check = make("code", {});
    const why = make("ul", {});
    const expect = make("p", {});
    const lines = make("div", {}, make("pre", {}, code));
    const after = make("div", {}, make("p", {}, words.after), make("pre", {}, check), expect);
    const result = make("div", { className: "wheel-chooser__result" }, lines, make("p", {}, words.why), why, after);
    result.setAttribute("aria-live", "polite");

    const choose = (capabilities) => {
      const value = capabilities.join(",");
      if (![...field.gpu.options].some((option) => option.value === value)) {
        field.gpu.prepend(make("option", { value }, value));
      }
      field.gpu.value = value;
    };
    const show = () => {
      const wish = {
        system: field.system.value,
        tool: field.tool.value,
        gpus: field.gpu.value.split(",").filter(Boolean),
        driver: field.driver.validity.valid ? field.driver.value : "",
        python: field.python.value,
        torch: field.torch.value,
        china: field.china.checked,
        packages: ["torchvision", "torchaudio"].filter((name) => field[name].checked),
      };
      const done = answer(wheels, wish);
      lines.hidden = after.hidden = !done.install.length;
      code.textContent = [...done.prepare, ...done.install].join("\n");
      check.textContent = done.check;
      expect.replaceChildren(...done.expect.flatMap((one) => coded(worded(words, one))));
      why.replaceChildren(...done.why.map((one) => make("li", {}, ...coded(worded(words, one)))));
      result.dataset.none = done.install.length ? "" : "none";
    };
    const NAMES = ["system", "tool", "gpu", "driver", "python", "torch", "torchvision", "torchaudio", "china"];
    const kept = Object.fromEntries(NAMES.map((name) => [name, field[name]]));
    const linked = new URL(location.href).searchParams.get("gpu") ?? "";
    if (/^\d+\.\d(,\d+\.\d)*$/.test(linked)) choose(linked.split(","));
    recall(kept);
    field.smi.addEventListener("input", () => {
      const read = readSmi(wheels, field.smi.value);
      if (read.driver) field.driver.value = read.driver;
      if (read.gpus.length && !read.unknown) choose(read.gpus);
      const seen = [read.driver, ...read.gpus.map((gpu) => words[`gpu_${gpu}`] ?? gpu)].filter(Boolean).join(words.comma);
      note.textContent = !field.smi.value ? "" : (read.driver || read.gpus[0] in OTHER_MAKERS) && !read.unknown ? words.read.replace("{seen}", seen) : words.not_read;
    });
    inputs.addEventListener("input", () => {
      show();
      // Which system is shown first depends on the browser, so all is in the address but empty boxes.
      remember(kept, { torchvision: false, torchaudio: false, china: false });
    });
    box.answer = (wish) => answer(wheels, wish);
    box.worded = (said) => worded(words, said);
    box.readSmi = (text) => readSmi(wheels, text);
    box.replaceChildren(inputs, result);
    box.dataset.ready = "";
    show();
  }

  document.querySelectorAll(".wheel-chooser:not([data-ready])").forEach(build);
});
