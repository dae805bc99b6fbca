"""``python -m nbembed`` is the command ``nbembed``, where scripts are not on the path."""

import sys

from nbembed.cli import main

if __name__ == "__main__":
    sys.exit(main())
