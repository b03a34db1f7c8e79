"""Task classes of OpenEnv's proposal "Generic Task Support" (PR #201), and the modules that they import.

Loaded by `host.py` when a session opens such a task.
"""

import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import math
import numbers
import os
import random
import sys
import types
import uuid

# The package of the proposal's code, by the paths that it had.
PACKAGES = [at + "browsergym_env.server.custom" for at in ("", "envs.", "src.envs.")]
# Task files are modules of this package, so their relative imports resolve.
TASKS = PACKAGES[0] + ".tasks"
REGISTRY = "openenv.core.tasks"
NAMES = ("custom_base", "custom_models", "custom_tasks")
NEEDED = ("_calculate_reward", "_check_done")


class CustomGymAction(types.SimpleNamespace):
    def __init__(self, action_str="", metadata=None):
        super().__init__(action_str=action_str, metadata=metadata or {})


class CustomGymObservation(types.SimpleNamespace):
    def __init__(self, **fields):
        empty = {"text": "", "url": "", "screenshot": None, "goal": "", "axtree_txt": "", "pruned_html": "", "error": ""}
        more = {"last_action_error": False, "done": False, "reward": None, "custom_data": {}, "metadata": {}}
        super().__init__(**{**empty, **more, **fields})


class CustomGymState(types.SimpleNamespace):
    def __init__(self, **fields):
        empty = {"episode_id": None, "step_count": 0, "benchmark": "custom", "task_name": "", "goal": ""}
        more = {"current_url": "", "max_steps": 50, "cum_reward": 0.0, "custom_state": {}}
        super().__init__(**{**empty, **more, **fields})


class CustomBrowserGymEnvironment:
    """The base of task classes. Taskwright runs the browser, the agent's actions, and the episode."""

    task_name = ""
    max_steps = 50

    def __new__(cls, *_positional, **_named):
        # Subclasses need not call __init__.
        task = super().__new__(cls)
        task.headless, task.timeout = True, 10000.0
        task.viewport_width, task.viewport_height = 1280, 720
        task.custom_params = {}
        task._playwright = task._browser = task._context = task._page = None
        task._state = CustomGymState()
        return task

    def __init__(
        self,
        task_name=None,
        headless=True,
        viewport_width=1280,
        viewport_height=720,
        timeout=10000.0,
        max_steps=None,
        **kwargs,
    ):
        self.headless, self.timeout = headless, timeout
        self.viewport_width, self.viewport_height = viewport_width, viewport_height
        self.custom_params = kwargs
        if task_name is not None:
            self.task_name = task_name
        if max_steps is not None:
            self.max_steps = max_steps

    def _get_goal_description(self):
        return ""

    async def _extract_observation(self, page):
        return {}


class Registered:
    """What the files of a folder register."""

    def __init__(self):
        self.classes = {}
        self.goals = {}

    def clear(self):
        self.classes.clear()
        self.goals.clear()

    def add(self, name, cls=None, **config):
        """`register_custom_task(name, cls)` and `@register_custom_task(name)`."""
        if not isinstance(name, str) or not name:
            raise TypeError("register_custom_task needs a name that is not empty")
        if cls is None:
            return lambda decorated: self.add(name, decorated, **config)
        other = self.classes.get(name)
        if other is not None and place_of(other) != place_of(cls):
            raise ValueError(f"the custom task “{name}” is registered twice: {place_of(other)} and {place_of(cls)}")
        self.classes[name] = cls
        if isinstance(config.get("goal"), str):
            self.goals[name] = config["goal"]
        return cls

    def get(self, name):
        return self.classes[name]

    def register(self, task_id=None, env_type=None, config=None, **_more):
        """`registry.register(...)`. The goal applies to a class of the same name that has none."""
        goal = (config or {}).get("goal")
        if isinstance(task_id, str) and isinstance(goal, str):
            for name in {task_id, task_id.split("/", 1)[-1]}:
                self.goals.setdefault(name, goal)

    def goal(self, name):
        return self.goals.get(name, "")


def place_of(cls):
    module = sys.modules.get(getattr(cls, "__module__", ""))
    file = os.path.basename(getattr(module, "__file__", None) or "")
    return f"{getattr(cls, '__qualname__', cls)} in {file}"


class Provided(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the proposal, whether or not OpenEnv is installed."""

    def __init__(self, registered):
        base = types.ModuleType("custom_base")
        base.CustomBrowserGymEnvironment = CustomBrowserGymEnvironment
        models = types.ModuleType("custom_models")
        for one in (CustomGymAction, CustomGymObservation, CustomGymState):
            setattr(models, one.__name__, one)
        tasks = types.ModuleType("custom_tasks")
        tasks.register_custom_task, tasks.get_custom_task = registered.add, registered.get
        registry = types.ModuleType(REGISTRY)
        registry.registry = registry.TaskRegistry = registered
        self._modules = dict(zip(NAMES, (base, models, tasks)))
        # A mounted file may import nothing.
        self.names = {
            key: value for module in [*self._modules.values(), registry] for key, value in vars(module).items()
            if not key.startswith("__")
        }
        self._always = {REGISTRY: registry}
        self._parents = {"openenv", "openenv.core"}
        for package in PACKAGES:
            parts = package.split(".")
            self._parents.update(".".join(parts[: count + 1]) for count in range(len(parts)))
            self._always.update({f"{package}.{name}": module for name, module in self._modules.items()})
        self._folder = ""

    def begin(self, folder):
        self._folder = folder
        self._modules["custom_tasks"].__path__ = [folder]
        for name in NAMES:
            self._always[f"{TASKS}.{name}"] = self._modules[name]
        if os.path.exists(os.path.join(folder, "custom_tasks.py")):
            del self._always[f"{TASKS}.custom_tasks"]
        for name in [name for name in sys.modules if name in NAMES or name.startswith(TASKS)]:
            del sys.modules[name]

    def find_spec(self, name, path=None, target=None):
        if name in self._always:
            return importlib.machinery.ModuleSpec(name, self)
        if name == TASKS:
            return self._package(name, [self._folder])
        if name not in self._parents and name not in NAMES:
            return None
        if importlib.machinery.PathFinder.find_spec(name, path) is not None:
            return None
        if name in NAMES:
            return importlib.machinery.ModuleSpec(name, self)
        return self._package(name, [])

    def _package(self, name, path):
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = path
        return spec

    def create_module(self, spec):
        return self._always.get(spec.name) or self._modules.get(spec.name)

    def exec_module(self, module):
        pass


class Wrong(Exception):
    """A class that does not give what it should, in words that follow its name."""


class Tasks:
    """The task class of a session."""

    def __init__(self, host):
        self._host = host
        self._registered = Registered()
        self._provided = Provided(self._registered)
        sys.meta_path.insert(0, self._provided)
        self._task = None
        self._name = ""
        self._facts = {}
        self._page_data = {}

    def answer(self, message):
        try:
            if message["do"] == "open task":
                return self._open(message)
            return getattr(self, "_" + message["what"])(message)
        except Wrong as wrong:
            return {"wrong": str(wrong)}
        except BaseException as error:
            return {"threw": self._host.error_info(error)}

    def _open(self, message):
        """Loads the files that register tasks, each time anew, and creates the task."""
        folder, self._name = message["folder"], message["name"]
        self._task = None
        self._registered.clear()
        self._host.begin(folder)
        self._provided.begin(folder)
        random.seed(message["seed"])
        failures, files = [], {}
        for file in message["files"]:
            known = set(self._registered.classes)
            try:
                self._load(file)
            except BaseException as error:
                failures.append({"file": file, **self._host.error_info(error)})
            files.update({name: file for name in set(self._registered.classes) - known})
        task_class = self._registered.classes.get(self._name)
        if task_class is None:
            return {"failures": failures, "names": sorted(self._registered.classes)}
        module = sys.modules.get(task_class.__module__)
        file = getattr(module, "__file__", None) or files[self._name]
        opened = {"file": file, "class": task_class.__name__, "max_steps": None}
        missing = next((name for name in NEEDED if not hasattr(task_class, name)), None)
        if not (isinstance(task_class, type) and issubclass(task_class, CustomBrowserGymEnvironment)):
            return {**opened, "wrong": "does not extend CustomBrowserGymEnvironment"}
        if missing is not None:
            return {**opened, "wrong": f"has no method {missing}()"}
        if not hasattr(task_class, "_get_html_content") and not hasattr(task_class, "_get_task_url"):
            return {**opened, "wrong": "has no method _get_html_content() or _get_task_url()"}
        try:
            named = "task_name" in inspect.signature(task_class).parameters
            task = task_class(task_name=self._name) if named else task_class()
        except BaseException as error:
            return {**opened, "threw": self._host.error_info(error)}
        task.task_name = task.task_name or self._name
        steps = task.max_steps
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            return {**opened, "wrong": f"has max_steps {steps!r}: a whole number from 1 is needed"}
        task._state = CustomGymState(episode_id=str(uuid.uuid4()), task_name=self._name, max_steps=steps)
        self._task = task
        return {**opened, "max_steps": steps}

    def _load(self, file):
        stem = os.path.splitext(os.path.basename(file))[0]
        name = f"{TASKS}.{stem}"
        # Another file may have imported it.
        module = sys.modules.get(name)
        if module is None or getattr(module, "__file__", None) != file:
            importlib.import_module(TASKS)
            loader = importlib.machinery.SourceFileLoader(name, file)
            module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, file, loader=loader))
            vars(module).update(self._provided.names)
            sys.modules[name] = module
            loader.exec_module(module)
        if getattr(module.register_custom_task, "__module__", "") == name:
            self._find_registrations(module, file)

    def _find_registrations(self, module, file):
        """Of a file with its own `register_custom_task`, as the proposal's own: those in its text."""
        with open(file, "rb") as source:
            calls = [node for node in ast.walk(ast.parse(source.read(), file)) if isinstance(node, ast.Call)]
        for call in calls:
            if getattr(call.func, "id", None) != "register_custom_task" or len(call.args) < 2:
                continue
            name, registered = call.args[:2]
            if isinstance(name, ast.Constant) and isinstance(registered, ast.Name) and hasattr(module, registered.id):
                self._registered.add(name.value, getattr(module, registered.id))

    def _page(self, _message):
        html = hasattr(self._task, "_get_html_content")
        method = "_get_html_content" if html else "_get_task_url"
        value = self._call(method)
        if not isinstance(value, (str, os.PathLike)):
            raise Wrong(f"{method}() returned {shown(value)}: {'the HTML of a page' if html else 'a URL'} is needed")
        return {"html": value} if html else {"url": os.fspath(value)}

    def _goal(self, _message):
        value = self._call("_get_goal_description")
        if not isinstance(value, str):
            raise Wrong(f"_get_goal_description() returned {shown(value)}: a text is needed")
        goal = value or self._registered.goal(self._name)
        self._task._state.goal = goal
        return {"goal": goal}

    def _extract(self, message):
        self._facts = message["facts"]
        extracted = self._call("_extract_observation")
        if extracted is None:
            extracted = {}
        if not isinstance(extracted, dict):
            raise Wrong(f"_extract_observation() returned {shown(extracted)}: a dict is needed")
        self._page_data = {"custom_data": {}, **self._facts, **extracted}
        self._task._state.current_url = self._facts["url"]
        data = self._page_data["custom_data"]
        try:
            json.dumps(data, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise Wrong(f"_extract_observation() returned custom_data that is not JSON: {error}") from None
        if not isinstance(data, dict):
            raise Wrong(f"_extract_observation() returned custom_data that is {shown(data)}: a dict is needed")
        return {"custom_data": data}

    def _first(self, message):
        """What a copy of the task says of the page before the first action."""
        self._extract(message)
        task, drawn = self._task, random.getstate()
        page_data = copied(self._page_data)
        self._task = copy.copy(task)
        vars(self._task).update({name: copied(value) for name, value in vars(task).items()})
        try:
            reward = self._number(self._call("_calculate_reward", page_data, "", ""))
            return {"reward": reward, "done": bool(self._call("_check_done", page_data))}
        except Exception:
            # The class may rely on an action. A real error is reported at the first step.
            return {"reward": 0, "done": False}
        finally:
            self._task = task
            random.setstate(drawn)

    def _reward(self, message):
        state = self._task._state
        state.step_count += 1
        reward = self._number(self._call("_calculate_reward", self._page_data, message["action"], message["error"]))
        state.cum_reward += reward
        return {"reward": reward}

    def _done(self, _message):
        return {"done": bool(self._call("_check_done", self._page_data))}

    def _number(self, value):
        if isinstance(value, numbers.Real) and math.isfinite(value):
            return float(value)
        raise Wrong(f"_calculate_reward() returned {shown(value)}: a finite number is needed")

    def _call(self, method, *given):
        """Calls a method, with Playwright's page if it wants one."""
        task, function = self._task, getattr(self._task, method)
        waits = inspect.iscoroutinefunction(function)
        extracts = method == "_extract_observation"
        if extracts and type(task)._extract_observation is CustomBrowserGymEnvironment._extract_observation:
            return {}
        if extracts or (waits and self._uses_page()):
            return self._host.call_with_page(self._with_page(function, waits, extracts, given), waits)
        value = function(*given)
        return self._host.wait_for(value) if inspect.isawaitable(value) else value

    def _with_page(self, function, waits, extracts, given):
        task = self._task

        def begin(page):
            page.set_default_timeout(task.timeout)
            task._page = page
            return function(page) if extracts else function(*given)

        def call(page):
            try:
                return begin(page)
            finally:
                task._page = None

        async def call_later(page):
            try:
                return await begin(page)
            finally:
                task._page = None

        return call_later if waits else call

    def _uses_page(self):
        """Whether a method of the class mentions `self._page`."""
        own = type(self._task).__mro__
        functions = [one for cls in own if cls.__module__ != __name__ for one in vars(cls).values()]
        return any("_page" in getattr(getattr(one, "__code__", None), "co_names", ()) for one in functions)


def copied(value):
    """A copy, as far as there can be one: not of a file or a lock."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def shown(value):
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    return f"a {type(value).__name__}"
