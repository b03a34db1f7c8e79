"""The two tasks of OpenEnv's proposal "Generic Task Support" (PR #201), as classes in Python."""

from pathlib import Path

from browsergym_env.server.custom.custom_base import CustomBrowserGymEnvironment
from browsergym_env.server.custom.custom_tasks import register_custom_task

HERE = Path(__file__).parent


class CopyPasteTask(CustomBrowserGymEnvironment):
    """Copy a text from one field to another."""

    def __init__(self, **kwargs):
        super().__init__(task_name="copy-paste", **{"max_steps": 10, **kwargs})

    def _get_task_url(self):
        return (HERE / "copy-paste.html").as_uri()

    def _get_goal_description(self):
        return "Copy the text of the first field into the second one, and submit it."

    async def _extract_observation(self, page):
        success = page.locator("#success-message")
        if await success.count() == 0:
            return {"custom_data": {"source": None, "target": "", "success": ""}}  # Another page.
        return {
            "custom_data": {
                "source": await page.input_value("#source-text"),
                "target": await page.input_value("#target-text"),
                # The message is in the page from the start, but hidden until it is earned.
                "success": await success.text_content() if await success.is_visible() else "",
            },
        }

    def _calculate_reward(self, page_data, action, error):
        if error:
            return -0.1
        data = page_data["custom_data"]
        if "Success!" in data["success"]:
            return 1.0
        return 0.5 if data["source"] == data["target"] else 0.0

    def _check_done(self, page_data):
        return "Success!" in page_data["custom_data"]["success"]


@register_custom_task("copy-paste-multitab")
class CopyPasteMultitabTask(CustomBrowserGymEnvironment):
    """Copy a text from one page to another."""

    max_steps = 15

    def _get_task_url(self):
        return f"file://{HERE}/source.html"

    def _get_goal_description(self):
        return "Copy the text of this page into the field of the next one, and submit it."

    def _calculate_reward(self, page_data, action, error):
        if error:
            return -0.1
        if self._check_done(page_data):
            return 1.0
        if not page_data["url"].endswith("/target.html"):
            return 0.0
        return 0.6 if "The train leaves at 7:42." in page_data["text"] else 0.3

    def _check_done(self, page_data):
        # Only text that a person can read.
        return "Success!" in page_data["text"]


register_custom_task("copy-paste", CopyPasteTask)
