"""`python -m gpu_guide.crosscheck`: see `gpu_guide.crosscheck.compare`."""

from gpu_guide.crosscheck.compare import main

raise SystemExit(main())
