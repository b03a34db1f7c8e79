"""Runs the functions of `*.functions.py` files for one session.

Reads requests from file descriptor 3 and writes answers to 4: a length of four bytes (big-endian), then JSON. Output of
functions goes to the log. A running function may send questions about the page; the last frame of a call is its result.
"""

import ast
import asyncio
import functools
import importlib.machinery
import importlib.util
import inspect
import json
import math
import numbers
import os
import struct
import sys
import threading
import time
import traceback
import types
import typing
from collections.abc import Mapping
from pathlib import Path

OWN_FILE = os.path.abspath(__file__)
# The file that runs task classes. It is loaded on demand.
TASKS_FILE = OWN_FILE[: -len("host.py")] + "tasks.py"
ASKED, ANSWERED = 3, 4
GIVEN = ("state", "page")
PLAIN = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
}


NO_PLAYWRIGHT = (
    f"`page` needs the package playwright, which {sys.executable} does not have: pip install playwright "
    "(without its browsers), or use `state`, which needs no package"
)


class Channel:
    """Frames over the two file descriptors, one question at a time."""

    def __init__(self):
        for descriptor in (ASKED, ANSWERED):
            os.set_inheritable(descriptor, False)
        self._input = os.fdopen(ASKED, "rb")
        self._lock = threading.Lock()

    def read(self):
        head = self._input.read(4)
        if len(head) < 4:
            raise EOFError
        (length,) = struct.unpack(">I", head)
        return json.loads(self._input.read(length).decode("utf-8"))

    def write(self, message):
        body = json.dumps(message, allow_nan=False).encode("utf-8", "replace")
        frame = memoryview(struct.pack(">I", len(body)) + body)
        while frame:
            frame = frame[os.write(ANSWERED, frame) :]

    def ask(self, what, **more):
        with self._lock:
            self.write({"ask": what, **more})
            answer = self.read()
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer["answer"]


class Files(Mapping):
    """The files that the agent works with: relative path to `pathlib.Path`. Empty if the environment has none."""

    def __init__(self, folder):
        self.folder = None if folder is None else Path(folder)

    def __getitem__(self, name):
        if self.folder is not None:
            path = (self.folder / name).resolve()
            if path.is_file() and path.is_relative_to(self.folder.resolve()):
                return path
        raise KeyError(name)

    def __iter__(self):
        if self.folder is not None:
            for path in sorted(self.folder.rglob("*")):
                if path.is_file():
                    yield path.relative_to(self.folder).as_posix()

    def __len__(self):
        return sum(1 for _ in self)


class State:
    """The current state of the environment. Properties are queried when they are read."""

    def __init__(self, channel, given):
        self._channel = channel
        self.response = given["response"]
        self.actions = given["actions"]
        self.files = Files(given["folder"])

    url = property(lambda self: self._channel.ask("url"), doc="The URL of the active page.")
    title = property(lambda self: self._channel.ask("title"), doc="Its title.")
    html = property(lambda self: self._channel.ask("html"), doc="The document as HTML.")
    text = property(lambda self: self._channel.ask("text"), doc="The visible text, including text that needs scrolling.")
    cookies = property(lambda self: self._channel.ask("cookies"), doc="A list of cookies, as Playwright has them.")
    storage = property(
        lambda self: self._channel.ask("storage"), doc="`local` and `session`, each a dict of the page's items."
    )

    observation = property(lambda self: self._channel.ask("observation"), doc="The last observation of OpenEnv.")
    total_reward = property(lambda self: self._channel.ask("total_reward"), doc="The sum of its rewards.")
    environment = property(lambda self: self._channel.ask("environment"), doc="The state of the environment, a dict.")

    def open(self, url=None, *, html=None):
        """Opens a URL, a page file next to the task, or inline HTML."""
        if (url is None) == (html is None):
            raise TypeError("open() takes a URL or html=...")
        self._channel.ask("open", target={"url": url} if html is None else {"html": html})


def schema_of(hint):
    """The JSON Schema of the values that match a hint; {} for any value. `hints.ts` does the same with texts."""
    if isinstance(hint, type) and hint in PLAIN or hint is None:
        return PLAIN[hint]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        plain = all(value is None or type(value) in (str, int, float, bool) for value in inner)
        return {"enum": list(inner)} if plain else {}
    if origin is typing.Union or origin is getattr(types, "UnionType", typing.Union):
        members = [schema_of(one) for one in inner]
        return {} if {} in members else {"anyOf": members}
    if origin is list:
        return {"type": "array", "items": schema_of(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    return {}


def label_of(hint):
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint).replace("typing.", "")


def hints_of(function):
    try:
        return typing.get_type_hints(function)
    except Exception:  # A name that is only imported for type checkers.
        return {name: hint for name, hint in getattr(function, "__annotations__", {}).items() if not isinstance(hint, str)}


def describe(name, function):
    """The signature of a function. Raises TypeError if no task can call it."""
    hints = hints_of(function)
    parameters, items, least, rest = [], [], 0, False
    for one in inspect.signature(function).parameters.values():
        if one.name in GIVEN or one.kind is one.VAR_KEYWORD:
            continue
        if one.kind is one.KEYWORD_ONLY:
            if one.default is one.empty:
                raise TypeError(f"{name}() requires the keyword argument {one.name!r}, which a task cannot pass: move it before the *")
            continue
        schema = schema_of(hints[one.name]) if one.name in hints else {}
        if one.default is None and schema != {}:
            schema = {"anyOf": [schema, {"type": "null"}]}
        label = f"{one.name}: {label_of(hints[one.name])}" if one.name in hints else one.name
        parameters.append(label)
        if one.kind is one.VAR_POSITIONAL:
            rest = schema
            continue
        items.append(schema)
        least += one.default is one.empty
    return {
        "name": name,
        "phase": "setup" if "return" in hints and hints["return"] is type(None) else None,
        "parameters": parameters,
        "schema": {"type": "array", "prefixItems": items, "minItems": least, "items": rest},
    }


def first_line(function):
    """The one-based line of the first statement that does something."""
    for one in function.body:
        is_doc = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        if not is_doc and not isinstance(one, (ast.Global, ast.Nonlocal)):
            return one.lineno
    return function.body[-1].lineno


def error_info(error):
    """The message of an exception, and its traceback without frames of this file."""
    lines = traceback.TracebackException.from_exception(error, capture_locals=False)
    for part in chain_of(lines):
        part.stack[:] = [frame for frame in part.stack if frame.filename not in (OWN_FILE, TASKS_FILE) and "<frozen" not in frame.filename]
    message = "".join(traceback.format_exception_only(type(error), error)[-1:]).strip()
    return {"message": message, "stack": "".join(lines.format())}


def chain_of(trace):
    while trace is not None:
        yield trace
        trace = trace.__cause__ or trace.__context__


class Modules:
    """The functions in the functions files of a folder. Reloads them if a file or one of its imports has changed."""

    def __init__(self):
        self._folder = None
        self._stamps = {}
        self._answer = None
        self.functions = {}

    def load(self, folder, files, fresh):
        # Of a file that could not be loaded, it is not known which modules it needs.
        is_whole = self._answer is not None and not self._answer["failures"]
        if not fresh and folder == self._folder and is_whole and not self._changed(files):
            return self._answer
        # A task class may share modules with the functions.
        if fresh or folder != self._folder or self._answer is not None:
            self.begin(folder)
        loaded, failures = [], []
        for file in files:
            self._stamps[file] = stamp(file)
            try:
                loaded += self._load(file)
            except BaseException as error:
                failures.append({"file": file, **error_info(error)})
        for module in self._own():
            self._stamps[module.__file__] = stamp(module.__file__)
        self._answer = {"loaded": loaded, "failures": failures}
        return self._answer

    def begin(self, folder):
        """Forgets all modules, and makes those of a folder importable."""
        self._forget()
        self._answer = None
        if self._folder is not None:
            sys.path.remove(self._folder)
        self._folder = folder
        sys.path.insert(0, folder)

    def _load(self, file):
        source = Path(file).read_bytes()
        begins = {
            one.name: first_line(one)
            for one in ast.parse(source, file).body
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and not one.name.startswith("_")
        }
        # With a dot, as in `shop.functions`, the name cannot clash with another module of the folder.
        name = os.path.basename(file)[: -len(".py")]
        loader = importlib.machinery.SourceFileLoader(name, file)
        module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, file, loader=loader))
        sys.modules[name] = module
        loader.exec_module(module)
        described = []
        for one, line in begins.items():
            function = getattr(module, one, None)
            if callable(function):
                described.append({"file": file, "line": line, **describe(one, function)})
                self.functions[file, one] = function
        return described

    def _own(self):
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if file and file.startswith(self._folder + os.sep) and "site-packages" not in file:
                yield module

    def _forget(self):
        self.functions.clear()
        self._stamps.clear()
        if self._folder is None:
            return
        own = set(map(id, self._own()))
        for name in [name for name, module in sys.modules.items() if id(module) in own]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def _changed(self, files):
        if any(file not in self._stamps for file in files):
            return True
        return any(stamp(file) != before for file, before in self._stamps.items())


def stamp(file):
    try:
        facts = os.stat(file)
        return facts.st_mtime_ns, facts.st_size, facts.st_ino
    except OSError:
        return None


class Debugger:
    """debugpy, with which an editor debugs functions. It is imported on demand."""

    def __init__(self):
        self._task_file = None
        self._debugpy = None

    def find(self):
        """Returns what is missing, or None."""
        if importlib.util.find_spec("debugpy") is None:
            return f"{sys.executable} does not have the package debugpy: pip install debugpy"
        # debugpy would warn about frozen modules of Python.
        os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        import debugpy

        self._debugpy = debugpy
        return None

    def connect(self, port, secret, task_file):
        """Connects to the debugger. Returns when the debugger is ready."""
        self._task_file = task_file
        # Child processes are not debugged.
        self._debugpy.configure(subProcess=False)
        self._debugpy.connect(("127.0.0.1", port), access_token=secret)

    def caller(self, function, line):
        """
        Wraps a function so that it is called from its location in the task file. A debugger that
        steps out of the function then stops there, and not in this file.
        """
        if self._task_file is None or line is None:
            return function
        waits = inspect.iscoroutinefunction(function)
        tree = ast.parse(AWAITED_FROM if waits else CALLED_FROM)
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                # The debugger only stops when the line changes.
                node.lineno = node.end_lineno = line + isinstance(node, ast.Pass)
        names = {}
        exec(compile(tree, self._task_file, "exec"), names)
        return functools.partial(names["call"], function)


CALLED_FROM = """
def call(function, *positional, **named):
    try:
        return function(*positional, **named)
    finally:
        pass
"""
AWAITED_FROM = CALLED_FROM.replace("def", "async def").replace("return", "return await")


# A placeholder for the page.
PAGE = object()


def call_on(browser, function, positional, named):
    page = browser.contexts[0].pages[0]
    arguments = [page if one is PAGE else one for one in positional]
    return function(*arguments, **{name: page if one is PAGE else one for name, one in named.items()})


class Runner:
    """Runs functions that use Playwright's page, and coroutines.

    Coroutines run in an event loop in a separate thread, because Playwright's synchronous API runs one in the main thread.
    """

    def __init__(self):
        self._loop = self._playwright = self._async_playwright = None

    def run(self, coroutine):
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def run_with_page(self, function, waits, positional, named, endpoint):
        """Calls a function with Playwright's page, the asynchronous one if the function is a coroutine function."""
        if waits:
            return self.run(self._wait_with_page(function, positional, named, endpoint))
        if self._playwright is None:
            from playwright.sync_api import sync_playwright

            self._playwright = sync_playwright().start()
        browser = self._playwright.chromium.connect_over_cdp(endpoint)
        try:
            return call_on(browser, function, positional, named)
        finally:
            browser.close()

    async def _wait_with_page(self, function, positional, named, endpoint):
        if self._async_playwright is None:
            from playwright.async_api import async_playwright

            self._async_playwright = await async_playwright().start()
        browser = await self._async_playwright.chromium.connect_over_cdp(endpoint)
        try:
            return await call_on(browser, function, positional, named)
        finally:
            await browser.close()


def arguments(function, args, given):
    """The positional and keyword arguments of a call: those of the task, and those that Taskwright provides."""
    rest, positional, named, open_ended = list(args), [], {}, True
    for one in inspect.signature(function).parameters.values():
        if one.name in GIVEN and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            if one.name not in given:
                open_ended = False
            elif open_ended and one.kind is not one.KEYWORD_ONLY:
                positional.append(given[one.name])
            else:
                named[one.name] = given[one.name]
        elif one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD):
            if not rest:
                open_ended = False
            elif open_ended:
                positional.append(rest.pop(0))
            else:
                named[one.name] = rest.pop(0)
        elif one.kind is one.VAR_POSITIONAL:
            positional += rest
    return positional, named


def result_of(returned):
    """Converts the result of a function to a verdict."""
    reason = None
    if isinstance(returned, Mapping) and "value" in returned:
        reason = returned.get("reason")
        returned = returned["value"]
    if returned is None:
        return {"nothing": True}
    if reason is not None and not isinstance(reason, str):
        return {"reasonType": type(reason).__name__}
    if isinstance(returned, bool) or type(returned).__name__ in ("bool_", "bool"):
        return {"value": bool(returned), "reason": reason}
    if isinstance(returned, numbers.Real):
        value = float(returned)
        return {"value": value, "reason": reason} if math.isfinite(value) else {"returned": str(value)}
    if isinstance(returned, str):
        return {"returned": f"the text {json.dumps(returned[:60], ensure_ascii=False)}"}
    return {"returned": f"a {type(returned).__name__}" + (' without "value"' if isinstance(returned, Mapping) else "")}


class Host:
    def __init__(self, channel):
        self._channel = channel
        self._modules = Modules()
        self._debugger = Debugger()
        self._runner = Runner()
        self._tasks = None

    def answer(self, message):
        if message["do"] == "load":
            return self._modules.load(message["folder"], message["files"], message["fresh"])
        if message["do"] == "find debugger":
            return {"missing": self._debugger.find(), "programs": [OWN_FILE, TASKS_FILE]}
        if message["do"] == "debug":
            return self._debugger.connect(message["port"], message["secret"], message["taskFile"])
        if message["do"] in ("open task", "task"):
            return self._custom_tasks().answer(message)
        try:
            return result_of(self._call(message))
        except BaseException as error:
            return {"threw": error_info(error)}

    error_info = staticmethod(error_info)

    def begin(self, folder):
        self._modules.begin(folder)

    def wait_for(self, awaitable):
        async def waiting():
            return await awaitable

        return self._runner.run(waiting())

    def call_with_page(self, function, waits):
        return self._runner.run_with_page(function, waits, [PAGE], {}, self._page_endpoint())

    def _custom_tasks(self):
        if self._tasks is None:
            spec = importlib.util.spec_from_file_location("taskwright_tasks", TASKS_FILE)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self._tasks = module.Tasks(self)
        return self._tasks

    def _call(self, message):
        function = self._modules.functions[message["file"], message["name"]]
        given = {"state": State(self._channel, message["context"])}
        endpoint = self._endpoint(inspect.signature(function).parameters.get("page"))
        if endpoint is not None:
            given["page"] = PAGE
        positional, named = arguments(function, message["args"], given)
        waits = inspect.iscoroutinefunction(function)
        function = self._debugger.caller(function, message["line"])
        if endpoint is not None:
            return self._runner.run_with_page(function, waits, positional, named, endpoint)
        returned = function(*positional, **named)
        return self._runner.run(returned) if inspect.iscoroutine(returned) else returned

    def _endpoint(self, parameter):
        """The endpoint of the page for the parameter `page`; None if there is none or its default is used."""
        if parameter is None:
            return None
        try:
            return self._page_endpoint()
        except RuntimeError:
            if parameter.default is parameter.empty:
                raise
            return None

    def _page_endpoint(self):
        if importlib.util.find_spec("playwright") is None:
            raise RuntimeError(NO_PLAYWRIGHT)
        return self._channel.ask("page")

    def serve(self):
        while True:
            try:
                message = self._channel.read()
            except EOFError:
                os._exit(0)
            self._channel.write(self.answer(message))


# Tells the session why Python exited.
MEMORY_EXIT = 86


def memory_held():
    """The used memory in bytes; 0 if the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as facts:
            return int(facts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return 0
    # The peak memory use, in bytes on systems without /proc.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def watch_memory(most_bytes):
    """Terminates the process when it exceeds its memory limit."""

    def watch():
        while memory_held() < most_bytes:
            time.sleep(0.1)
        os._exit(MEMORY_EXIT)

    thread = threading.Thread(target=watch, daemon=True)
    # Hides the thread from the debugger.
    thread.is_pydev_daemon_thread = thread.pydev_do_not_trace = True
    thread.start()


if __name__ == "__main__":
    # Functions cannot import files next to this file.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != os.path.dirname(OWN_FILE)]
    watch_memory(int(sys.argv[1]))
    del sys.argv[1:]
    Host(Channel()).serve()
