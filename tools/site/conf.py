"""Owns how Sphinx makes the site of `docs/`: from Markdown as it is, strictly, without the network."""

from __future__ import annotations

project = "callbreak-arena"
html_title = "callbreak-arena"
extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
highlight_language = "text"
# The pages' own names for themselves are enough: nothing of Python's is described here.
nitpicky = True
smartquotes = False

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
