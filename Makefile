# Everything is `python -m gpu_guide <command>`; this file only saves typing.
PYTHON ?= python3
# Whoever names a Python gets that one or an error, not the one of .venv.
RUN := $(PYTHON) -m gpu_guide $(if $(filter file,$(origin PYTHON)),,--this-python)

.PHONY: learn help serve test test-all stand-in build check record adopt lab offline pdf audit wheels bench watch twin style new clean

help:
	@$(RUN) --help

serve:  ## build both languages and serve them on http://127.0.0.1:8000
	$(RUN) serve $(ARGS)

test:  ## snippets, checks and unit tests; ARGS="snippets/check/devices.py"
	$(RUN) test $(ARGS)

test-all:  ## also browsers, whole builds, labs, and what is killed: what CI runs
	$(RUN) test --all $(ARGS)

stand-in:  ## PyTorch's CUDA code on stand-in GPUs; ARGS="--card t4 -- python file.py"
	$(RUN) stand-in $(ARGS)

build:  ## the whole site, into site/
	$(RUN) build $(ARGS)

learn:  ## the next of forty programs to mend, checked whenever you save it
	$(RUN) learn $(ARGS)

offline:  ## a zip of the site that is read without a network
	$(RUN) offline $(ARGS)

pdf:  ## a PDF of each section and language, into build/pdf; ARGS="memory --language zh"
	$(RUN) pdf $(ARGS)

audit:  ## ten kinds of pages, measured by Lighthouse; ARGS="home start --runs 5"
	$(RUN) audit $(ARGS)

check:  ## pages and snippets, without running any code
	$(RUN) check

record:  ## run snippets here and write records/<environment>.json; ARGS="memory --again"
	$(RUN) record $(ARGS)

adopt:  ## take over what ARGS="--jobs 8 --minutes 9" of make record brought home
	$(RUN) adopt $(ARGS)

lab:  ## make lab, or make lab name=transfers: run labs, write their notebooks
	$(RUN) lab $(name) $(ARGS)

wheels:  ## what of data/wheels.yml is no longer what PyPI and PyTorch's indexes publish
	$(RUN) wheels

bench:  ## seconds per snippet and page; time, memory, index of 1,000 pages; ARGS="large"
	$(RUN) bench $(ARGS)

watch:  ## make watch snippet=check/devices: run its tests whenever it is saved
	$(RUN) watch $(snippet)

twin:  ## make twin page=check/devices: both languages of the page are in line
	$(RUN) twin $(page)

style:  ## what pages say a thousand words, beside good books; ARGS="check/devices"
	$(RUN) style $(ARGS)

new:  ## make new page=check/devices, answer=check/error-802, snippet=check/devices or lab=transfers
	$(RUN) new $(if $(page),page $(page),$(if $(answer),answer $(answer),$(if $(lab),lab $(lab),snippet $(snippet))))

clean:
	rm -rf .venv .cache site *.egg-info
