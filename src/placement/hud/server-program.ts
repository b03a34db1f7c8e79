import { RARE_COLLECTIONS } from '../../functions/user/python/collections.ts';

/** What the program below prints if it cannot be debugged. */
export const NO_DEBUGPY = 'Breakpoints are ignored: debugpy is not installed';

/** What it prints when connections to the port that it opens next must begin with the secret. */
export const TAKES_SECRET = 'Other programs cannot use the port of this environment: connections need a secret.';

/**
 * A Python program that runs HUD's server, whose port any program of this machine could use: HUD's protocol has no secret. So
 * each connection to it must begin with a line that has the secret, which is the first line of the standard input. With the
 * port and the secret of a debugger in its environment, the process connects to that first, and waits for it.
 */
export const SERVER_PROGRAM = `
import asyncio, hmac, importlib.util, os, runpy, sys
${RARE_COLLECTIONS}
secret = sys.stdin.buffer.readline().strip()
debugger = os.environ.pop("TASKWRIGHT_DEBUGPY", None)
if debugger is not None:
    if importlib.util.find_spec("debugpy") is None:
        print("${NO_DEBUGPY}", flush=True)
    else:
        os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        import debugpy
        port, token = debugger.split(" ")
        debugpy.configure(subProcess=False)
        debugpy.connect(("127.0.0.1", int(port)), access_token=token)

server = importlib.util.find_spec("hud.environment.server")
listen = asyncio.start_server

def with_secret(accept):
    async def checked(reader, writer):
        try:
            line = await asyncio.wait_for(reader.readline(), 10)
        except (asyncio.TimeoutError, ValueError, OSError):
            line = b""
        if hmac.compare_digest(line.strip(), secret):
            await accept(reader, writer)
        else:
            writer.close()
    return checked

async def start_server(accept, *args, **options):
    # Not for servers of the environment's own.
    code = getattr(accept, "__code__", None)
    if code is not None and code.co_filename == server.origin:
        print("${TAKES_SECRET}", flush=True)
        accept = with_secret(accept)
    return await listen(accept, *args, **options)

asyncio.start_server = start_server
runpy.run_module("hud.environment.server", run_name="__main__", alter_sys=True)
`;
