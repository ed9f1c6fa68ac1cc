"""`python -m gpu_guide`: see `gpu_guide.cli`."""

from gpu_guide.cli import main

raise SystemExit(main())
