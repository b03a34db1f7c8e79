"""Where BrowserGym finds its browser and the pages of MiniWoB++. Call `prepare` before BrowserGym is imported."""

import json
import os
import pathlib
import tempfile

import playwright


def prepare(pages, browser):
    """Makes `browser` (a chromium-headless-shell) and `pages` (the folder of MiniWoB++) those that BrowserGym uses."""
    # Playwright starts a second browser for the chat, so the program must be where its download would be.
    package = pathlib.Path(playwright.__file__).parent / "driver" / "package"
    known = json.loads((package / "browsers.json").read_text())["browsers"]
    revisions = {one["name"]: one["revision"] for one in known}
    browsers = pathlib.Path(tempfile.mkdtemp(prefix="taskwright-bench-"))
    program = (
        browsers
        / f"chromium_headless_shell-{revisions['chromium-headless-shell']}"
        / "chrome-headless-shell-linux64"
        / "chrome-headless-shell"
    )
    program.parent.mkdir(parents=True)
    program.symlink_to(browser)
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(browsers)
    os.environ["MINIWOB_URL"] = (pathlib.Path(pages) / "miniwob").as_uri() + "/"
