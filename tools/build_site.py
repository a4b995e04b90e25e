"""Owns `make docs`: the pages in `docs/` as a site that opens from disk; a broken link or anchor is an error.

python -m tools.build_site [OUT]

Pages stay plain Markdown, to be read as they are, too. Links between them and to files of the checkout are
followed; addresses elsewhere are not, since nothing here needs the network.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["PAGES", "SiteError", "build_site"]

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs"
OUT = ROOT / "build" / "site"
_CONFIGURATION = Path(__file__).parent / "site"


class SiteError(Exception):
    """The site has something wrong in it: all that was found, a line each."""


def build_site(out: Path, *, pages: Path = PAGES) -> Path:
    """Builds the site of `pages` in the folder `out`; the page to begin with. Raises SiteError."""
    sphinx = [sys.executable, "-m", "sphinx", "--builder", "html", "--conf-dir", str(_CONFIGURATION)]
    strictly = ["--fresh-env", "--fail-on-warning", "--nitpicky", "--quiet", "--no-color"]
    doctrees = ["--doctree-dir", str(out / ".doctrees")]
    done = subprocess.run(
        [*sphinx, *strictly, *doctrees, str(pages), str(out)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SiteError(done.stderr.strip())
    return out / "index.html"


def main(arguments: list[str]) -> int:
    """Builds it and says where it is."""
    try:
        print(build_site(Path(*arguments[:1]) if arguments else OUT))
    except SiteError as trouble:
        print(trouble, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
